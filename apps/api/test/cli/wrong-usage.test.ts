import { expect, it } from 'vitest';
import { failed } from '../support/process/run-command.js';
import { useCommands } from '../support/process/run-in-process.js';

const id = 'Give the id of a plant, from -9223372036854775808 to 9223372036854775807.';
const duration = 'such as 12h or 30d';
const scopes = 'one or more of create,read,update,delete';
const shards = 'a number of shards from 1 to 32000';
const idsOrFile = 'give either ids or --from <file>';

it.each([
  ['token create --name x --expires soon', duration],
  ['token create --name x --expires 999999w', 'before the year 10000'],
  ['token rotate 1 --overlap -1h', duration],
  ['token revoke 0', 'the id that token list shows'],
  ...['', 'create,', 'write', 'CREATE'].map((list) => [`token create --name x --can ${list}`, scopes]),
  ['import --from-line 0', 'a line number of 1 or more'],
  ...['0', '-4', '4.5', 'many', '32001'].map((count) => [`migrate --distribute=${count}`, shards]),
  ...['delete', 'delete 1 --from x', 'delete 1 --from-line 2'].map((line) => [line, idsOrFile]),
  ...['one', '01', '9223372036854775808'].map((wrong) => [`delete 1 ${wrong}`, id]),
  ['update 1', 'name at least one field to update'],
  ...['update 01 --name x', 'update one --name x'].map((line) => [line, id]),
  ['update 1 --name \0', "argument '\0' is invalid. It must not contain the character NUL (U+0000)."],
  [`list --tag ${'é'.repeat(1_001)}`, 'is invalid. It must have at most 1000 characters.'],
  [`list --query ${'🌱'.repeat(101)}`, 'Give at most 100 characters.'],
  [
    'list --added-from yesterday',
    'Give a time with its offset from UTC, such as 2026-11-25T10:00:00Z or 2026-11-25T11:00:00+01:00.',
  ],
  ['ready', 'Set ADMIN_PORT as for the service, or pass its URL as --url'],
  ['ready --url 127.0.0.1:3001', 'Give a URL, such as http://127.0.0.1:3001'],
  ['worker', 'set WORKERS and run serve instead'],
])('rejects wrong usage with exit status 2: %s', async (line = '', message = '') => {
  expect(await useCommands().run(line)).toEqual(failed(expect.stringContaining(message), '', 2));
});

it.each([
  ['sereve', "unknown command 'sereve'\n(Did you mean serve?)", ''],
  ['serve --fast', "unknown option '--fast'", ' serve'],
  ['--hlep', "unknown option '--hlep'\n(Did you mean --help?)", ''],
  ['token creat', "unknown command 'creat'\n(Did you mean create?)", ' token'],
  ['token create', "required option '--name <name>' not specified", ' token create'],
  ['token create --name', "option '--name <name>' argument missing", ' token create'],
  ['token create --nmae x', "unknown option '--nmae'\n(Did you mean --name?)", ' token create'],
  ['token rotate --hlep', "unknown option '--hlep'\n(Did you mean --help?)", ' token rotate'],
  ['token revoke', "missing required argument 'id or name'", ' token revoke'],
  ['token list all', "too many arguments for 'list'. Expected 0 arguments but got 1: all.", ' token list'],
  ['export --otuput x', "unknown option '--otuput'\n(Did you mean --output?)", ' export'],
  ['update', "missing required argument 'id'", ' update'],
  ['update 1 --no-name', "unknown option '--no-name'\n(Did you mean one of --name, --no-tag?)", ' update'],
  ['restore', "missing required argument 'source'", ' restore'],
])('suggests what was meant, and points to the help of that command: %s', async (line, error, command) => {
  const text = `error: ${error}\n(see plant-store${command} --help)\n`;
  expect(await useCommands().run(line)).toEqual(failed(text, '', 2));
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

it.each([
  ['', ['serve', 'token', 'migrate', 'export', 'import', 'backup', 'restore', 'DATABASE_URL', 'Exit status']],
  ['export', ['--output', 'NDJSON']],
  ['import', ['[file]', '--from-line', 'NDJSON', 'exit status']],
  ['delete', ['<id>...', '--from', '--from-line', 'exit status']],
  ['backup', ['[target]', 'SQLite', 's3://', '--keep']],
  ['restore', ['<source>', '--dry-run']],
  ['serve', ['--quickstart']],
  ['ready', ['--url', 'ADMIN_PORT']],
  ['token', ['create', 'list', 'revoke']],
  ['token create', ['--name', '--expires', '30d']],
  ['token rotate', ['<id>', '--overlap', '(default: 1h)', '--expires', 'never']],
])('prints help: %s', async (command, words) => {
  const { exitCode, stdout } = await useCommands().run(`${command} --help`.trim());
  expect(exitCode).toBe(0);
  for (const word of words) expect.soft(stdout).toContain(word);
});
