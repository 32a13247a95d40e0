import { expect, it } from 'vitest';
import { runCommand } from '../support/process/run-command.js';
import { runInProcess } from '../support/process/run-in-process.js';
import { temporaryFolder } from '../support/temporary-folder.js';

it.each([
  { args: ['sereve'], message: "unknown command 'sereve'" },
  { args: ['serve', '--fast'], message: "unknown option '--fast'" },
  { args: ['token', 'create'], message: "required option '--name <name>' not specified" },
  { args: ['token', 'create', '--name', 'x', '--expires', 'soon'], message: 'such as 12h or 30d' },
  { args: ['token', 'create', '--name', 'x', '--expires', '999999w'], message: 'before the year 10000' },
  { args: ['import', '--from-line', '0'], message: 'the number of a line, from 1 on' },
  ...['0', '-4', '4.5', 'many', '32001'].map((shards) => ({
    args: ['migrate', `--distribute=${shards}`],
    message: 'a number of shards from 1 to 32000',
  })),
  { args: ['backup'], message: "missing required argument 'file'" },
  ...[[], ['1', '--from', 'x'], ['1', '--from-line', '2']].map((args) => ({
    args: ['delete', ...args],
    message: 'give either ids or --from <file>',
  })),
  ...['one', '01', '9223372036854775808'].map((id) => ({
    args: ['delete', '1', id],
    message: 'Give the id of a plant, from -9223372036854775808 to 9223372036854775807.',
  })),
  { args: ['list', '--tag', 'é'.repeat(1_001)], message: 'Give at most 1000 characters.' },
  { args: ['list', '--query', '🌱'.repeat(101)], message: 'Give at most 100 characters.' },
  { args: ['ready', '--url', '127.0.0.1:3001'], message: 'Give a URL, such as http://127.0.0.1:3001' },
  { args: ['token', 'revoke', 'one'], message: 'the id that token list shows' },
  { args: ['token', 'rotate', '1', '--overlap', '-1h'], message: 'such as 12h or 30d' },
])('rejects wrong usage with exit status 2: $args', async ({ args, message }) => {
  const { exitCode, stdout, stderr } = await runInProcess(args, { folder: temporaryFolder() });
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toContain(message);
});

it.each([
  { args: ['sereve'], error: "unknown command 'sereve'", meant: 'serve', command: 'plant-store' },
  { args: ['--hlep'], error: "unknown option '--hlep'", meant: '--help', command: 'plant-store' },
  {
    args: ['token', 'creat'],
    error: "unknown command 'creat'",
    meant: 'create',
    command: 'plant-store token',
  },
  {
    args: ['token', 'create', '--nmae', 'x'],
    error: "unknown option '--nmae'",
    meant: '--name',
    command: 'plant-store token create',
  },
  {
    args: ['token', 'rotate', '--hlep'],
    error: "unknown option '--hlep'",
    meant: '--help',
    command: 'plant-store token rotate',
  },
  {
    args: ['export', '--otuput', 'x'],
    error: "unknown option '--otuput'",
    meant: '--output',
    command: 'plant-store export',
  },
])('suggests what was meant, and points to the help of that command: $args', async (mistake) => {
  const { exitCode, stdout, stderr } = await runInProcess(mistake.args, { folder: temporaryFolder() });
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toBe(
    `error: ${mistake.error}\n(Did you mean ${mistake.meant}?)\n(see ${mistake.command} --help)\n`,
  );
});

it.each([
  { args: ['token', 'create'], command: 'plant-store token create' },
  { args: ['token', 'create', '--name'], command: 'plant-store token create' },
  { args: ['token', 'revoke'], command: 'plant-store token revoke' },
  { args: ['token', 'list', 'all'], command: 'plant-store token list' },
  { args: ['backup', 'a.db', 'b.db'], command: 'plant-store backup' },
])(
  'points to the help of a command that lacks arguments or has too many: $args',
  async ({ args, command }) => {
    const { exitCode, stdout, stderr } = await runInProcess(args, { folder: temporaryFolder() });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(/^error: .*\n\(see [^\n]*\)\n$/);
    expect(stderr).toContain(`(see ${command} --help)`);
  },
);

it('shows the command as pnpm runs it from a clone', async () => {
  const environment = {
    npm_config_user_agent: 'pnpm/10.9.8 npm/? node/v26.1.2 linux x64',
    npm_lifecycle_event: 'plant-store',
    npm_package_name: 'plant-store',
  };
  const run = (...args: string[]) => runCommand(args, { folder: temporaryFolder(), environment });
  const command = 'npx -y pnpm@10.9.8 -s plant-store';
  expect(await run('token', 'list', '--hlep')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(`(see ${command} token list --help)\n`),
  });
  expect(await run('token', 'create', '--help')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining(`Usage: ${command} token create --name <name>`),
  });
});
