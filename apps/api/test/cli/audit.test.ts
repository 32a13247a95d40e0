import { writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { createDatabase, query } from '@plant-store/postgresql-server';
import { describe, expect, inject, it } from 'vitest';
import { enginesOfStore } from '../support/database/engines.js';
import type {} from '../support/postgresql/global-setup.js';
import { execute, fillStore } from '../support/process/fill-store.js';
import { plantLine } from '../support/process/plant-lines.js';
import { failed, startServe, succeeded } from '../support/process/run-command.js';
import { runInProcess, useCommands } from '../support/process/run-in-process.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';

const user = userInfo().username;
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const scopes = ['create', 'read', 'update', 'delete'];

/** Runs commands on a new database of an engine. */
async function useAudit(engine: string) {
  const environment: Record<string, string> =
    engine === 'postgresql' ? { DATABASE_URL: await createDatabase(inject('postgresqlUrl')) } : {};
  const { folder, run } = useCommands(environment);
  return {
    folder,
    run,
    environment,
    /** The entries, the oldest first, without what all of them have. */
    async entries(): Promise<readonly object[]> {
      const { stdout } = await run('audit --json');
      const all = stdout.split('\n').slice(0, -1).reverse();
      return all.map((line, index) => {
        const { number, at, by, ...entry } = JSON.parse(line);
        expect([number, at, by]).toEqual([index + 1, time, { user }]);
        return entry;
      });
    },
  };
}

describe.each(enginesOfStore())('on %s', (engine) => {
  it('each command has an entry for what it did to tokens, and none for what failed', async () => {
    const { folder, run, environment, entries } = await useAudit(engine);
    await run('migrate');
    expect(await run('audit')).toEqual(succeeded('', 'The audit has no matching entries.\n'));
    const secret = (await run('token create --name shop --rate 600')).stdout.trim();
    await run('token rotate 1 --overlap 0 --can read');
    await run('token revoke 2');
    await run('token revoke 2');
    for (const line of ['token revoke 9', 'token rotate 1', 'token rotate 9', 'token revoke nobody'])
      expect(await run(line)).toMatchObject({ exitCode: 1 });
    expect(await run('token create')).toMatchObject({ exitCode: 2 });
    const token = { name: 'shop', scopes, ratePerMinute: 600 };
    const rotated = { ...token, id: 2, scopes: ['read'] };
    const expected = [
      { action: 'token_created', token: { id: 1, ...token } },
      { action: 'token_rotated', token: rotated, replaced: { id: 1, name: 'shop' } },
      { action: 'token_revoked', token: rotated },
    ];
    expect(await entries()).toEqual(expected);
    expect((await run('audit --json')).stdout).not.toContain(secret.slice(4, 16));

    const tokens = (await run('token export')).stdout;
    const moved = await useAudit(engine);
    for (const _ of [1, 2]) await moved.run('token import', tokens);
    expect(await moved.entries()).toEqual([
      { action: 'token_imported', token: { id: 1, ...token } },
      { action: 'token_imported', token: rotated },
    ]);

    const { command } = await startServe({ folder, environment }, ['--quickstart']);
    await command.waitFor(/^curl .*$/m);
    await command.end('SIGTERM');
    const again = await startServe({ folder, environment }, ['--quickstart']);
    await again.command.waitFor(/^curl .*$/m);
    await again.command.end('SIGTERM');
    const quickstart = { id: 3, name: 'quickstart', scopes };
    expect(await entries()).toEqual([...expected, { action: 'token_created', token: quickstart }]);
  });

  it('an import has an entry at its end, or where it stopped, unless it did nothing', async () => {
    const { folder, run, environment, entries } = await useAudit(engine);
    writeFileSync(join(folder, 'plants.ndjson'), `${plantLine(1)}x\n${plantLine(2)}${plantLine(2)}`);
    expect(await run('import plants.ndjson')).toMatchObject({ exitCode: 1 });
    expect(await run('import', plantLine(3))).toMatchObject({ exitCode: 0 });
    const useless = {
      'import missing.ndjson': '',
      import: '[{"id":4}]',
      'import --format csv': 'color\nred\n',
    };
    for (const [line, input] of Object.entries(useless))
      expect(await run(line, input)).toMatchObject({ exitCode: 1 });
    const input = new PassThrough();
    input.write([10, 11, 12].map((id) => plantLine(id)).join(''));
    const signal = until(() => input.readableLength === 0).then(() => 'SIGTERM' as const);
    const stopped = await runInProcess(['import'], { folder, environment, input, signal });
    expect(stopped).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('Stopped by SIGTERM') });
    const resources = ['plants'];
    const nothing = { imported: 0, alreadyThere: 0, bad: 0 };
    expect(await entries()).toEqual([
      {
        action: 'imported',
        file: { name: 'plants.ndjson', resources, imported: 2, alreadyThere: 1, bad: 1, complete: true },
      },
      { action: 'imported', file: { resources, ...nothing, imported: 1, complete: true } },
      { action: 'imported', file: { resources, ...nothing, imported: 3, complete: false } },
    ]);
    expect((await run('audit --limit 1')).stdout).toContain(
      '\tstandard input: plants, 3 imported, 0 already there, 0 bad, incomplete\n',
    );
  });

  it('prints entries by action, so many, after one', async () => {
    const { run } = await useAudit(engine);
    for (const name of ['shop', 'sh\u200dop', 'page']) await run(`token create --name ${name} --can read`);
    await run('token rotate 2 --expires 1d');
    await run('token revoke 1');
    const { stdout, stderr } = await run('audit');
    expect(stderr).toBe('');
    expect(stdout.split('\n')).toEqual([
      'NUMBER\tTIME\tACTION\tBY\tABOUT',
      expect.stringMatching(RegExp(`^5\t\\S+Z\ttoken_revoked\tuser ${user}\ttoken 1 "shop", read$`)),
      expect.stringMatching(/\ttoken 4 ("sh\\u200dop"), read, expires \S+Z, replacing token 2 \1$/),
      expect.stringMatching(/^3\t.*\ttoken 3 "page", read$/),
      expect.stringMatching(/^2\t/),
      expect.stringMatching(/^1\t/),
      '',
    ]);
    const numbers = async (options: string) => {
      const printed = await run(`audit --json ${options}`);
      return [printed.stdout.match(/(?<="number":)\d+/g)?.map(Number), printed.stderr];
    };
    expect(await numbers('--limit 2')).toEqual([[5, 4], 'For more, use --after 4\n']);
    expect(await numbers('--limit 3 --after 4')).toEqual([[3, 2, 1], '']);
    const more = 'For more, use --after 2\n';
    expect(await numbers('--action token_created --limit 1 --after 3')).toEqual([[2], more]);
    expect((await run('audit --action restored')).stderr).toBe('The audit has no matching entries.\n');
    for (const option of ['--action watered', '--limit 0', '--after x', '--limit 1.5'])
      expect(await run(`audit ${option}`)).toMatchObject({ exitCode: 2 });
  });
});

it('prints as many pages as there are', async () => {
  const { folder, run } = useCommands();
  execute(
    await fillStore(folder, []),
    `INSERT INTO audit ("at", "by", action, about) SELECT key, '{"user":"x"}', 'imported', '{}'
     FROM json_each('[' || substr(replace(hex(zeroblob(2500)), '00', ',0'), 2) || ']')`,
  );
  const { stdout, stderr } = await run('audit --json');
  expect([stdout.match(/\n/g)?.length, stderr]).toEqual([2_500, '']);
  expect((await run('audit --limit 1001')).stderr).toBe('For more, use --after 1500\n');
});

it('a restore has its entry in the restored database, and one that fails or changes nothing has none', async () => {
  const { folder, run, entries } = await useAudit('sqlite');
  await run('token create --name shop');
  await run('backup');
  await run('token revoke 1');
  const [file = ''] = (await run('backup')).stderr.match(/plant-store-[0-9a-f]{16}-\S+\.db/) ?? [];
  await run('token create --name lost');
  await run('restore data/backups --dry-run');
  expect(await run('restore missing.db')).toEqual(failed(/There is no backup/));
  const created = { action: 'token_created', token: { id: 1, name: 'shop', scopes } };
  expect(await entries()).toMatchObject([created, { action: 'token_revoked' }, { token: { name: 'lost' } }]);
  const { stderr } = await run('restore data/backups');
  const [, kept = ''] = /The previous database is in (\S+)\.\n/.exec(stderr) ?? [];
  const [, storeId] = /^plant-store-([0-9a-f]{16})-/.exec(file) ?? [];
  expect(await entries()).toEqual([
    created,
    { action: 'token_revoked', token: created.token },
    { action: 'restored', backup: { name: file, madeAt: time, storeId } },
  ]);
  expect((await run('audit --limit 1')).stdout).toMatch(
    new RegExp(String.raw`\trestored\tuser ${user}\t${file}, made \S+Z, of the store ${storeId}\n$`),
  );
  // What was done since the backup is where it was.
  const before = await useCommands({ DATABASE_URL: `file:${kept}` }, folder).run('audit --json --limit 1');
  expect(JSON.parse(before.stdout)).toMatchObject({ action: 'token_created', token: { name: 'lost' } });
});

it('leaves nothing where the user may not add entries', async () => {
  const url = await createDatabase(inject('postgresqlUrl'));
  const { run } = useCommands({ DATABASE_URL: url }, temporaryFolder());
  await run('token create --name shop');
  await query(url, 'ALTER TABLE audit RENAME TO elsewhere');
  const message = /its table audit does not fit this version: it does not exist/;
  expect(await run('token revoke 1')).toEqual(failed(message));
  await query(url, 'ALTER TABLE elsewhere RENAME TO audit');
  expect((await run('token list')).stdout).toContain('never expires');
});
