import { setTimeout as sleep } from 'node:timers/promises';
import { createDatabase, query } from '@plant-store/postgresql-server';
import { startPostgresql } from './start-postgresql.js';

/** A PostgreSQL server of its own, whose commits wait for a synchronous standby while that is missing. */
export interface ServerWithStandby {
  /** The URI of a database in it. */
  readonly url: string;
  /** From now on each commit waits for a standby that is not there. */
  loseStandby(): Promise<void>;
  /** From now on no commit waits, those that wait already included. */
  restoreStandby(): Promise<void>;
  /** How many backends the service has at the server, and how many of them wait for the standby. */
  countBackends(): Promise<{ readonly all: number; readonly waiting: number }>;
  /** Resolves once so many backends of the service wait for the standby. */
  untilWaiting(count: number): Promise<void>;
  /** Ends the backends that wait for the standby, as a crash would: what they committed is there, but nowhere else. */
  endWaiting(how?: 'pg_terminate_backend' | 'pg_cancel_backend'): Promise<void>;
  remove(): Promise<void>;
}

export async function startWithStandby(): Promise<ServerWithStandby> {
  const server = await startPostgresql();
  const administer = <Row extends object>(sql: string) => query<Row>(`${server.url}/postgres`, sql);

  async function setStandbys(names: string): Promise<void> {
    await administer(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
    await administer('SELECT pg_reload_conf()');
    const current = async () =>
      (await administer<{ synchronous_standby_names: string }>('SHOW synchronous_standby_names'))[0];
    while ((await current())?.synchronous_standby_names !== names) await sleep(10);
  }

  async function countBackends() {
    const [counts] = await administer<{ all: number; waiting: number }>(
      `SELECT count(*)::int AS all, count(*) FILTER (WHERE wait_event = 'SyncRep')::int AS waiting
       FROM pg_stat_activity WHERE application_name = 'plant-store'`,
    );
    return counts ?? { all: 0, waiting: 0 };
  }

  return {
    url: await createDatabase(server.url),
    loseStandby: () => setStandbys('nobody'),
    restoreStandby: () => setStandbys(''),
    countBackends,
    async untilWaiting(count) {
      while ((await countBackends()).waiting < count) await sleep(20);
    },
    async endWaiting(how = 'pg_terminate_backend') {
      await administer(`SELECT ${how}(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`);
      while ((await countBackends()).waiting > 0) await sleep(20);
    },
    remove: () => server.remove(),
  };
}
