import { writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { createDatabase } from '@plant-store/postgresql-server';
import { describe, expect, inject, it } from 'vitest';
import { enginesOfStore } from '../support/database/engines.js';
import type {} from '../support/postgresql/global-setup.js';
import { execute, fillStore } from '../support/process/fill-store.js';
import { plantLine } from '../support/process/plant-lines.js';
import { failed, succeeded } from '../support/process/run-command.js';
import { runInProcess, useCommands } from '../support/process/run-in-process.js';
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
    const { run, entries } = await useAudit(engine);
    await run('migrate');
    expect(await run('audit')).toEqual(succeeded('', 'The audit log has no matching entries.\n'));
    const secret = (await run('token create --name sh\u200dop --rate 600')).stdout.trim();
    await run('token rotate 1 --overlap 0 --can read');
    await run('token revoke 2');
    await run('token revoke 2');
    for (const line of ['token revoke 9', 'token rotate 1', 'token rotate 9', 'token revoke nobody'])
      expect(await run(line)).toMatchObject({ exitCode: 1 });
    const name = 'sh\u200dop';
    const token = { name, scopes, ratePerMinute: 600 };
    const rotated = { ...token, id: 2, scopes: ['read'] };
    expect(await entries()).toEqual([
      { action: 'token_created', token: { id: 1, ...token } },
      { action: 'token_rotated', token: rotated, replaced: { id: 1, name } },
      { action: 'token_revoked', token: rotated },
    ]);
    const { stdout } = await run('audit');
    expect(stdout).not.toContain(secret.slice(4, 16));
    expect(stdout.split('\n')).toEqual([
      'NUMBER\tTIME\tACTION\tBY\tABOUT',
      expect.stringMatching(
        RegExp(`^3\t\\S+Z\ttoken_revoked\tuser ${user}\ttoken 2 "sh\\\\u200dop", read, `),
      ),
      expect.stringMatching(/\ttoken 2 ("sh\\u200dop"), read, 600 requests a minute, replacing token 1 \1$/),
      expect.stringMatching(/^1\t/),
      '',
    ]);
    const numbers = async (options: string) => {
      const printed = await run(`audit --json ${options}`);
      return [printed.stdout.match(/(?<="number":)\d+/g)?.map(Number), printed.stderr];
    };
    expect(await numbers('--limit 1')).toEqual([[3], 'For more, use --after 3\n']);
    expect(await numbers('--limit 2 --after 3')).toEqual([[2, 1], '']);
    expect(await numbers('--action token_created --limit 1')).toEqual([[1], '']);

    const tokens = (await run('token export')).stdout;
    const moved = await useAudit(engine);
    for (const _ of [1, 2]) await moved.run('token import', tokens);
    expect(await moved.entries()).toEqual([
      { action: 'token_imported', token: { id: 1, ...token } },
      { action: 'token_imported', token: rotated },
    ]);
  });

  it('an import has an entry at its end, or where it stopped, unless it did nothing', async () => {
    const { folder, run, environment, entries } = await useAudit(engine);
    writeFileSync(join(folder, 'plants.ndjson'), `${plantLine(1)}x\n${plantLine(2)}${plantLine(2)}`);
    expect(await run('import plants.ndjson')).toMatchObject({ exitCode: 1 });
    for (const [line, input] of [
      ['import missing.ndjson', ''],
      ['import', '[{"id":4}]'],
    ] as const)
      expect(await run(line, input)).toMatchObject({ exitCode: 1 });
    const input = new PassThrough();
    input.write([10, 11, 12].map((id) => plantLine(id)).join(''));
    const signal = until(() => input.readableLength === 0).then(() => 'SIGTERM' as const);
    const stopped = await runInProcess(['import'], { folder, environment, input, signal });
    expect(stopped).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('Stopped by SIGTERM') });
    const resources = ['plants'];
    const counts = { imported: 2, alreadyThere: 1, bad: 1 };
    expect(await entries()).toEqual([
      { action: 'imported', file: { name: 'plants.ndjson', resources, ...counts, complete: true } },
      { action: 'imported', file: { resources, imported: 3, alreadyThere: 0, bad: 0, complete: false } },
    ]);
    expect((await run('audit --limit 1')).stdout).toContain(
      '\tstandard input: plants, 3 imported, 0 already there, 0 bad, incomplete\n',
    );
  });
});

it('prints as many pages as there are', async () => {
  const { folder, run } = useCommands();
  execute(
    await fillStore(folder, []),
    `INSERT INTO audit ("at", "by", action, about) SELECT key, '{"user":"x"}', 'imported', '{}'
     FROM json_each('[' || substr(replace(hex(zeroblob(2500)), '00', ',0'), 2) || ']')`,
  );
  expect((await run('audit --json')).stdout.match(/\n/g)).toHaveLength(2_500);
  expect((await run('audit --limit 1001')).stderr).toBe('For more, use --after 1500\n');
});

it('a restore has its entry in the restored database, and one that fails or changes nothing has none', async () => {
  const { run, entries } = await useAudit('sqlite');
  await run('token create --name shop');
  const [file = '', storeId] = (await run('backup')).stderr.match(/plant-store-([0-9a-f]{16})-\S+\.db/) ?? [];
  await run('token create --name lost');
  await run('restore data/backups --dry-run');
  expect(await run('restore missing.db')).toEqual(failed(/There is no backup/));
  const created = { action: 'token_created', token: { id: 1, name: 'shop', scopes } };
  expect(await entries()).toMatchObject([created, { token: { name: 'lost' } }]);
  await run('restore data/backups');
  expect(await entries()).toEqual([
    created,
    { action: 'restored', backup: { name: file, madeAt: time, storeId } },
  ]);
  expect((await run('audit --limit 1')).stdout).toMatch(
    new RegExp(String.raw`\trestored\tuser ${user}\t${file}, made \S+Z, from store ${storeId}\n$`),
  );
});
