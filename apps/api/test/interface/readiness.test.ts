import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { expectStored } from '../expect-stored.js';
import { postPlant } from '../post-plant.js';
import { startTestService, type TestService } from '../start-test-service.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ ADMIN_PORT: '0' });
});
afterAll(() => service.stop());

/** How each engine is made to refuse what a create does, but nothing else. */
const refusals = {
  sqlite: {
    begin: `CREATE TRIGGER refuse BEFORE INSERT ON plants BEGIN SELECT RAISE(ABORT, 'no room'); END`,
    end: 'DROP TRIGGER refuse',
  },
  postgresql: {
    begin: `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'no room' USING ERRCODE = '53100'; END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON plants FOR EACH ROW EXECUTE FUNCTION refuse()`,
    end: 'DROP TRIGGER refuse ON plants',
  },
};

const readiness = async () => {
  const reply = await fetch(`${service.adminUrl}/readyz`);
  return { status: reply.status, body: await reply.json() };
};

it('is not ready while no create is stored, and ready again as soon as one would be, without any', async () => {
  const { begin, end } = refusals[inject('engine')];
  expect(await readiness()).toEqual({ status: 200, body: { status: 'ready' } });
  await service.database.query(begin);
  let id = 1;
  while ((await readiness()).status === 200) {
    expect((await postPlant(service, { id: id++, name: 'Monstera' })).status).toBeGreaterThanOrEqual(500);
    await sleep(100);
  }
  await sleep(1_000);
  expect(await readiness()).toEqual({
    status: 503,
    body: { status: 'unavailable', reason: 'database_unavailable' },
  });
  expect(service.logLines.join('')).toMatch(/"reason":"database_unavailable".*no room.*"msg":"not ready"/);

  await service.database.query(end);
  while ((await readiness()).status !== 200) await sleep(50);
  expect(await service.database.query('SELECT id FROM plants')).toEqual([]);
  await expectStored(service, postPlant(service, { id: 1, name: 'Fern' }), {
    id: '1',
    name: 'Fern',
    tag: null,
  });
});
