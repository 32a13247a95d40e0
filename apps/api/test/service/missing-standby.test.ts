import { setTimeout as sleep } from 'node:timers/promises';
import { scopes } from '@plant-store/contract/access-token';
import { query } from '@plant-store/postgresql-server';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Config } from '../../src/config.js';
import { openTestDatabase, withTimeouts } from '../support/database/create-test-database.js';
import { expectError } from '../support/expect-error.js';
import { postPlant } from '../support/post-plant.js';
import {
  type EndOfWaiting,
  type ServerWithStandby,
  startWithStandby,
} from '../support/postgresql/start-with-standby.js';
import { startTestService, type TestService } from '../support/start-test-service.js';
import { until } from '../support/until.js';

const poolSize = 8;

let server: ServerWithStandby;
beforeAll(async () => {
  server = await startWithStandby();
});
afterAll(() => server.remove());

let service: TestService;

/** Starts a service for each test of the calling suite. */
function useService(statementTimeoutMs: string, change?: (config: Config) => Config): void {
  beforeEach(async () => {
    const environment = {
      DATABASE_URL: server.url,
      DATABASE_POOL_SIZE: String(poolSize),
      DATABASE_STATEMENT_TIMEOUT_MS: statementTimeoutMs,
      ADMIN_PORT: '0',
    };
    service = await startTestService(environment, change);
  });
  afterEach(async () => {
    await server.restoreStandby();
    await service.stop();
  });
}

/** So long that the service does not give up before the test has seen a commit wait, and ended that. */
const longTimeoutMs = '60000';

/** Resolves as an action does that waits for the standby, whose waiting the test ends until it has resolved. */
async function endWaitingOf<Result>(action: Promise<Result>, how?: EndOfWaiting): Promise<Result> {
  let waits = 0;
  let resolved = false;
  const ended = action.finally(() => {
    resolved = true;
  });
  ended.catch(() => undefined);
  while (!resolved) {
    const { waiting } = await server.countBackends();
    waits += waiting;
    if (waiting > 0) await server.endWaiting(how);
    else await sleep(20);
  }
  expect(waits).toBeGreaterThan(0);
  return ended;
}

const unavailable = /^The database does not answer\. Try again in 1 second\.$/;
const isReplay = async (body: object) => {
  const reply = await postPlant(service, body);
  expect(reply.status).toBe(200);
  return reply.headers['idempotent-replayed'] === 'true';
};

describe.each<EndOfWaiting>(['pg_terminate_backend', 'pg_cancel_backend'])(
  'a plant whose commit has not reached a standby, since %s ended its backend,',
  (how) => {
    useService(longTimeoutMs);
    const ids = how === 'pg_cancel_backend' ? 20 : 10;

    it('is not acknowledged before it has reached a standby', async () => {
      const plant = { id: ids, name: 'Monstera' };
      await server.loseStandby();
      const post = (body: object) => postPlant(service, body).then((reply) => reply);
      expectError(await endWaitingOf(post(plant), how), 'database_unavailable', unavailable);
      expect(await query(server.url, `SELECT id FROM plants WHERE id = ${ids}`)).toHaveLength(1);

      const again = [plant, plant, { ...plant, name: 'Fern' }].map(post);
      for (const reply of await endWaitingOf(Promise.all(again), how))
        expectError(reply, 'database_unavailable', unavailable);
      await server.restoreStandby();
      expect(await isReplay(plant)).toBe(true);
      expectError(await postPlant(service, { ...plant, name: 'Fern' }), 'id_taken', 'belongs to another');
    });
  },
);

it('a token or a revocation that has not reached a standby is not reported as existing', async () => {
  const database = await openTestDatabase(
    { url: server.url },
    { DATABASE_STATEMENT_TIMEOUT_MS: longTimeoutMs },
  );
  const { accessTokens } = database;
  const times = { scopes, createdAt: new Date(), expiresAt: null, revokedAt: null, lastUsedAt: null };
  const token = { name: 'shop', hash: 'a', ...times };
  const outage = { errorName: 'database_unavailable' };
  /** Runs an action while the standby is missing, and retries it once only the primary has its result. */
  async function doTwice(action: () => Promise<unknown>) {
    await server.loseStandby();
    for (let time = 1; time <= 2; time++) {
      await expect(endWaitingOf(action())).rejects.toMatchObject(outage);
    }
    await server.restoreStandby();
  }
  await doTwice(() => accessTokens.takeOver(token));
  expect(await accessTokens.takeOver(token)).toBe(false);
  const id = (await accessTokens.findByHash('a'))?.id ?? 0;
  const revokedAt = new Date();
  await doTwice(() => accessTokens.revoke(id, revokedAt));
  expect(await accessTokens.revoke(id, new Date())).toMatchObject({ revokedAt });
  await database.close();
});

it('when tokens were used is stored without waiting for a standby', async () => {
  const database = await openTestDatabase(
    { url: server.url },
    { DATABASE_STATEMENT_TIMEOUT_MS: longTimeoutMs },
  );
  const { id } = await database.accessTokens.add({ name: 'shop', hash: 'b', scopes, expiresAt: null });
  const at = new Date('2026-03-04T05:06:07.890Z');
  await server.loseStandby();
  await database.accessTokens.recordUses([{ id, at }]);
  expect(await database.accessTokens.findByHash('b')).toMatchObject({ lastUsedAt: at });
  await server.restoreStandby();
  await database.close();
});

describe('while creates exceed the statement timeout, the service', () => {
  useService('200', (config) => ({ ...withTimeouts(config, { queryMarginMs: 100 }), failingAfterMs: 500 }));

  it('opens no more connections than the pool size, however many creates it aborts', async () => {
    await server.loseStandby();
    const statuses: number[] = [];
    let most = 0;
    const sending = Promise.all(
      Array.from({ length: 6 }, async (_, sender) => {
        for (let count = 0; count < 8; count++) {
          const reply = await postPlant(service, { id: 1_000 + sender * 100 + count, name: 'Monstera' });
          statuses.push(reply.status);
        }
      }),
    );
    let done = false;
    void sending.finally(() => {
      done = true;
    });
    while (!done) {
      most = Math.max(most, (await server.countBackends()).all);
      await sleep(50);
    }
    await sending;
    expect(new Set(statuses)).toEqual(new Set([503]));
    expect(most).toBeLessThanOrEqual(poolSize);
    await server.restoreStandby();
    await until(async () => (await postPlant(service, { id: 2_000, name: 'Monstera' })).status === 200);
  });

  it('is not ready while creates fail, and recovers without one', async () => {
    const readiness = async () => (await fetch(`${service.adminUrl}/readyz`)).status;
    // A check may exceed the short timeout.
    await until(async () => (await readiness()) === 200);
    await server.loseStandby();
    for (let id = 3_000; (await readiness()) === 200; id++) {
      expect((await postPlant(service, { id, name: 'Monstera' })).status).toBe(503);
    }
    // Its trial commits use one connection, however often readiness is checked. Those of the creates end by themselves.
    let checks = 0;
    await until(async () => {
      expect(await readiness()).toBe(503);
      await sleep(600);
      return ++checks >= 4 && (await server.countBackends()).all < 6;
    });
    await server.restoreStandby();
    await until(async () => (await readiness()) === 200);
  });
});
