import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { createTestDatabase, openTestDatabase } from '../support/database/create-test-database.js';
import { engines } from '../support/database/engines.js';
import type { TestDatabase } from '../support/database/test-database.js';
import { startCommand } from '../support/process/run-command.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';

let database: TestDatabase;
afterEach(() => database.remove());

/** What makes the entry of a change take long, after the change itself. */
const delays = {
  sqlite: [
    `CREATE TRIGGER act BEFORE INSERT ON audit BEGIN
       SELECT (WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 1e9) SELECT count(*) FROM c);
     END`,
  ],
  postgresql: [
    `CREATE FUNCTION act() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(600); RETURN NEW; END $$`,
    'CREATE TRIGGER act BEFORE INSERT ON audit FOR EACH ROW EXECUTE FUNCTION act()',
  ],
};

it.each(
  engines.flatMap((engine) =>
    ['create --name other', 'rotate 1 --overlap 0', 'revoke 1'].map((line) => [engine, line] as const),
  ),
)('a kill between a change and its entry leaves neither: %s, token %s', async (engine, line) => {
  database = await createTestDatabase(engine);
  const opened = await openTestDatabase(database);
  const by = { user: 'test' };
  await opened.accessTokens.add({ name: 'shop', hash: 'a', scopes: ['read'], expiresAt: null }, by);
  await opened.close();
  const read = async () => [
    await database.query('SELECT id, revoked_at, expires_at FROM access_tokens'),
    await database.query('SELECT CAST(number AS TEXT) AS number, action FROM audit'),
  ];
  const before = await read();
  expect(before.map((rows) => rows.length)).toEqual([1, 1]);
  for (const sql of delays[engine]) await database.query(sql);
  const environment = { DATABASE_URL: database.url, DATABASE_STATEMENT_TIMEOUT_MS: '600000' };
  const command = startCommand(['token', ...line.split(' ')], { folder: temporaryFolder(), environment });
  if (engine === 'postgresql') {
    const sleeping = `SELECT pid FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()`;
    await until(async () => (await database.query(sleeping)).length > 0, 400);
  } else {
    // Until it has the lock of the writer.
    await until(
      () =>
        database.query('PRAGMA user_version = 0').then(
          () => false,
          () => true,
        ),
      400,
    );
    await sleep(100);
  }
  expect((await command.end('SIGKILL')).stdout).toBe('');
  if (engine === 'postgresql')
    await database.query(
      `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()`,
    );
  expect(await read()).toEqual(before);
});
