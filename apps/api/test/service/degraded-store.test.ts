import { createDatabase, query } from '@plant-store/postgresql-server';
import pg from 'pg';
import { pino } from 'pino';
import { expect, inject, it, onTestFinished } from 'vitest';
import { createReadiness } from '../../src/observe/readiness.js';
import { createBatcher } from '../../src/store/batcher.js';
import { createShardHealth, createShardMonitor } from '../../src/store/postgresql/citus/shard-health.js';
import { createShardQueues, type ShardRouting } from '../../src/store/postgresql/citus/shard-queues.js';
import { createProbeCommit } from '../../src/store/postgresql/probe-commit.js';
import { createRunQuery } from '../../src/store/postgresql/run-query.js';
import { openTestDatabase } from '../support/database/create-test-database.js';
import { highBatcherLimits, oneCaller, plant, stored } from '../support/plants/create-test-store.js';
import { until } from '../support/until.js';

const runQuery = createRunQuery(10_000);

/** Four shards on two nodes. */
const routing: ShardRouting = {
  shardOf: (id) => Number(id % 4n),
  insertsPerShard: 2,
  inserts: 4,
  nodes: { nodeOf: (shard) => shard % 2, insertsPerNode: 2, delayAfterFailureMs: 10 },
  shareOf: () => 0.25,
};

/** The parts of the service that know of shards, over a PostgreSQL that rejects ids as if a node was away. */
async function openDegradable() {
  const url = await createDatabase(inject('postgresqlUrl'));
  const database = await openTestDatabase({ url });
  onTestFinished(() => database.close());
  const log = pino({ enabled: false });
  const commits = createShardMonitor(database.plants, routing, 300);
  const batcher = createBatcher(commits.insert, highBatcherLimits, (onReady) =>
    createShardQueues(highBatcherLimits, routing, oneCaller, onReady),
  );
  const pool = new pg.Pool({ connectionString: url });
  onTestFinished(() => pool.end());
  const probe = createProbeCommit(pool);
  const { check, warnings } = createShardHealth({
    commits,
    database: { check: database.check, probeCommit: (of) => runQuery(() => probe(of)) },
    log,
  });
  const readiness = createReadiness({ check, warnings, stopping: new AbortController().signal, log });
  await query(
    url,
    `CREATE TABLE away (shard INTEGER);
     CREATE FUNCTION reject() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       IF EXISTS (SELECT FROM away WHERE shard = NEW.id % 4) THEN
         RAISE EXCEPTION 'connection to the remote node failed' USING ERRCODE = '08006';
       END IF;
       RETURN NEW;
     END $$;
     CREATE TRIGGER reject BEFORE INSERT ON plants FOR EACH ROW EXECUTE FUNCTION reject()`,
  );
  /** From now on these shards are away, and no others. */
  const lose = (...shards: readonly number[]) =>
    query(url, `DELETE FROM away; INSERT INTO away SELECT unnest('{${shards}}'::int[])`);
  return { batcher, readiness, lose };
}

it('stores the other ids while a node is away, with a warning, and is not ready once most are', async () => {
  const { batcher, readiness, lose } = await openDegradable();
  let next = 4;
  /** Creates a plant on each shard, and returns which of them were stored. */
  const create = async () => {
    const first = next;
    next += 4;
    const writes = [0, 1, 2, 3].map((shard) => batcher.write(plant(first + shard), 1));
    const outcomes = await Promise.allSettled(writes);
    return outcomes.map((outcome) => {
      if (outcome.status === 'rejected') {
        expect(outcome.reason).toMatchObject({
          errorName: 'database_unavailable',
          headers: { 'Retry-After': '1' },
        });
        return false;
      }
      expect(outcome.value).toEqual(stored);
      return true;
    });
  };
  expect(await create()).toEqual([true, true, true, true]);
  expect(await readiness()).toEqual({ ready: true, warnings: [] });

  await lose(1, 3);
  const degraded = { ready: true, warnings: [expect.stringContaining('50 % of the ids')] };
  await until(async () => {
    expect(await create()).toEqual([true, false, true, false]);
    const { ready, warnings } = { warnings: [], ...(await readiness()) };
    expect(ready).toBe(true);
    return warnings.length > 0 && String(warnings[0]).includes('50 %');
  });
  expect(await readiness()).toEqual(degraded);

  await lose(1, 2, 3);
  await until(async () => {
    expect(await create()).toEqual([true, false, false, false]);
    return !(await readiness()).ready;
  });
  expect(await readiness()).toEqual({ ready: false, reason: 'database_unavailable' });

  // From here on there are no creates.
  await lose(1, 3);
  await until(async () => (await readiness()).ready);
  await lose();
  await until(async () => {
    const current = await readiness();
    return current.ready && current.warnings.length === 0;
  });
  expect(await create()).toEqual([true, true, true, true]);
});
