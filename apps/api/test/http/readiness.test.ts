import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject, it } from 'vitest';
import { readMetric, readReadiness } from '../support/admin-port.js';
import { expectStored } from '../support/expect-stored.js';
import { postPlant } from '../support/post-plant.js';
import { useTestService } from '../support/start-test-service.js';
import { until } from '../support/until.js';

const service = useTestService({ ADMIN_PORT: '0' }, (config) => ({ ...config, failingAfterMs: 300 }));

/** How to make each engine fail on creates, but on nothing else, and reject negative ids. */
const rejectionsOfPostgresql = {
  begin: [
    `CREATE FUNCTION reject() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'disk full' USING ERRCODE = '53100'; END $$`,
    'CREATE TRIGGER reject BEFORE INSERT ON plants FOR EACH ROW EXECUTE FUNCTION reject()',
  ],
  end: 'DROP TRIGGER reject ON plants',
  constrain: 'ALTER TABLE plants ADD CHECK (id >= 0)',
  reason: 'disk full',
};
const rejections = {
  sqlite: {
    // Once the largest id is taken, AUTOINCREMENT fails with SQLITE_FULL, like a full disk.
    begin: [
      'CREATE TABLE full_table (id INTEGER PRIMARY KEY AUTOINCREMENT)',
      'INSERT INTO full_table VALUES (9223372036854775807)',
      'CREATE TRIGGER reject BEFORE INSERT ON plants BEGIN INSERT INTO full_table VALUES (NULL); END',
    ],
    end: 'DROP TRIGGER reject',
    constrain: `CREATE TRIGGER constrain BEFORE INSERT ON plants WHEN NEW.id < 0
      BEGIN SELECT RAISE(ABORT, 'negative'); END`,
    reason: 'SQLITE_FULL',
  },
  postgresql: rejectionsOfPostgresql,
  citus: rejectionsOfPostgresql,
};

const readiness = () => readReadiness(service);
const readReadyMetric = () => readMetric(service, 'plant_store_ready');

it('the metric plant_store_ready is 0 while the database is away, without a create, and 1 before and after that', async () => {
  expect(await readReadyMetric()).toBe(1);
  const endOutage = await service.database.beginOutage('closed');
  await until(async () => (await readReadyMetric()) === 0);
  const unready = await fetch(`${service.adminUrl}/readyz`);
  expect([unready.status, unready.headers.get('retry-after')]).toEqual([503, '1']);
  await endOutage();
  await until(async () => (await readReadyMetric()) === 1);
  // Of several workers half suffice, and the others follow.
  await expect.poll(readiness).toEqual({ status: 200, body: { status: 'ready' } });
});

it('is not ready while creates fail, and recovers as soon as they would succeed, without one', async () => {
  const { begin, end, constrain, reason } = rejections[inject('engine')];
  // This rejects the plant of the trial commit, but not those of the clients.
  await service.database.query(constrain);
  expect(await readiness()).toEqual({ status: 200, body: { status: 'ready' } });
  for (const statement of begin) await service.database.query(statement);
  let id = 1;
  while ((await readiness()).status === 200) {
    expect((await postPlant(service, { id: id++, name: 'Monstera' })).status).toBeGreaterThanOrEqual(500);
    await sleep(100);
  }
  await sleep(1_000);
  const body = { status: 'unavailable', reason: 'database_unavailable' };
  expect(await readiness()).toEqual({ status: 503, body });
  const line = new RegExp(`"reason":"database_unavailable".*${reason}.*"msg":"not ready"`);
  expect(service.logLines.join('')).toMatch(line);

  await service.database.query(end);
  while ((await readiness()).status !== 200) await sleep(50);
  expect(await service.database.query('SELECT id FROM plants')).toEqual([]);
  const row = { id: '1', name: 'Fern', tag: null };
  await expectStored(service, postPlant(service, { id: 1, name: 'Fern' }), row);
});
