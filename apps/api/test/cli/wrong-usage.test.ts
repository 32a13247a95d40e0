import { expect, it } from 'vitest';
import { failed } from '../support/process/run-command.js';
import { useCommands } from '../support/process/run-in-process.js';

const id = 'Specify the ID of a plant, from -9223372036854775808 to 9223372036854775807.';
const scopes = 'one or more of create,read,update,delete';
const shards = 'a number of shards from 1 to 32000';
const idsOrFile = 'specify either IDs or --from <file>';

it.each([
  ['token create --name x --expires 999999w', 'before the year 10000'],
  ['token rotate 1 --overlap -1h', 'such as 12h or 30d'],
  ['token revoke 0', 'the ID that token list shows'],
  ...['', 'create,', 'write', 'CREATE'].map((list) => [`token create --name x --can ${list}`, scopes]),
  ...['0', 'many', '1000000001'].map((rate) => [
    `token create --name x --rate ${rate}`,
    'a number of requests',
  ]),
  ['token create --name x --link plants.example.com', 'Specify a URL'],
  ['import --from-line 0', 'a line number that is at least 1'],
  ...['0', '4.5', '32001'].map((count) => [`migrate --distribute=${count}`, shards]),
  ...['delete', 'delete 1 --from x', 'delete 1 --from-line 2'].map((line) => [line, idsOrFile]),
  ...['one', '01', '9223372036854775808'].map((wrong) => [`delete 1 ${wrong}`, id]),
  ['update 1', 'specify at least one field to update'],
  ['update 01 --name x', id],
  ['update 1 --name \0', "argument '\0' is invalid. It must not contain the NUL character (U+0000)."],
  [`list --tag ${'é'.repeat(1_001)}`, 'is invalid. It must have at most 1000 characters.'],
  [`list --query ${'🌱'.repeat(101)}`, 'Specify at most 100 characters.'],
  [
    'list --added-from yesterday',
    'Specify a time with its offset from UTC, such as 2026-11-25T10:00:00Z or ',
  ],
  ['list --by --format csv', "'--by' cannot be used with option '--format <format>'"],
  ['audit --action watered', 'Allowed choices are'],
  ['audit --limit 1.5', 'a number that is at least 1'],
  [
    'ready',
    'Set ADMIN_PORT to the value that the service uses, or pass the URL of the admin port with --url',
  ],
  ['worker', 'set WORKERS and run serve instead'],
])('rejects wrong usage with exit status 2: %s', async (line = '', message = '') => {
  expect(await useCommands().run(line)).toEqual(failed(expect.stringContaining(message), '', 2));
});

it.each([
  ['sereve', "unknown command 'sereve'\n(Did you mean serve?)", ''],
  ['token create', "required option '--name <name>' not specified", ' token create'],
  ['token create --nmae x', "unknown option '--nmae'\n(Did you mean --name?)", ' token create'],
  ['token list all', "too many arguments for 'list'. Expected 0 arguments but got 1: all.", ' token list'],
  ['update 1 --no-name', "unknown option '--no-name'\n(Did you mean one of --name, --no-tag?)", ' update'],
])('suggests what was meant, and points to the help of that command: %s', async (line, error, command) => {
  const text = `error: ${error}\n(see plant-store${command} --help)\n`;
  expect(await useCommands().run(line)).toEqual(failed(text, '', 2));
});

it.each(['backup copy.db', 'restore copy.db'])('refers to the tools of PostgreSQL: %s', async (line) => {
  const { run } = useCommands({ DATABASE_URL: 'postgresql://127.0.0.1:1/plants' });
  expect(await run(line)).toEqual(failed(/only.* SQLite databases\. .*pg_basebackup/));
});

it('shows the command as pnpm runs it from a clone', async () => {
  const { run } = useCommands({
    npm_config_user_agent: 'pnpm/10.9.8 npm/? node/v26.1.2 linux x64',
    npm_lifecycle_event: 'plant-store',
    npm_package_name: 'plant-store',
  });
  const command = 'npx -y pnpm@10.9.8 -s plant-store';
  expect((await run('token list --hlep')).stderr).toContain(`(see ${command} token list --help)\n`);
  expect((await run('token create --help')).stdout).toContain(`Usage: ${command} token create --name <name>`);
});

it('prints the help of all commands, and of one', async () => {
  for (const [line, words] of [
    ['--help', ['serve', 'token', 'migrate', 'export', 'import', 'restore', 'DATABASE_URL', 'Exit status']],
    ['token rotate --help', ['<id>', '--overlap', '(default: 1h)', '--expires', 'never']],
  ] as const) {
    const { exitCode, stdout } = await useCommands().run(line);
    expect(exitCode).toBe(0);
    for (const word of words) expect(stdout).toContain(word);
  }
});
