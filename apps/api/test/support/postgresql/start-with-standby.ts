import { setTimeout as sleep } from 'node:timers/promises';
import { createDatabase, query } from '@plant-store/postgresql-server';
import { startPostgresql } from './start-postgresql.js';

/** The function of PostgreSQL that ends a backend which waits for the standby, or only its statement. */
export type EndOfWaiting = 'pg_terminate_backend' | 'pg_cancel_backend';

export type ServerWithStandby = Awaited<ReturnType<typeof startWithStandby>>;

/** Starts a separate PostgreSQL server, whose commits can be made to wait for a missing synchronous standby. */
export async function startWithStandby() {
  const server = await startPostgresql();
  const administer = <Row extends object>(sql: string) => query<Row>(`${server.url}/postgres`, sql);

  async function setStandbys(names: string): Promise<void> {
    await administer(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
    await administer('SELECT pg_reload_conf()');
    const current = async () =>
      (await administer<{ synchronous_standby_names: string }>('SHOW synchronous_standby_names'))[0];
    while ((await current())?.synchronous_standby_names !== names) await sleep(10);
  }

  /** Counts the backends of the service, and those of them that wait for the standby. */
  async function countBackends() {
    const [counts] = await administer<{ all: number; waiting: number }>(
      `SELECT count(*)::int AS all, count(*) FILTER (WHERE wait_event = 'SyncRep')::int AS waiting
       FROM pg_stat_activity WHERE application_name = 'plant-store'`,
    );
    return counts ?? { all: 0, waiting: 0 };
  }

  return {
    /** The URI of a database on it. */
    url: await createDatabase(server.url),
    /** Makes commits wait for a standby that does not exist. */
    loseStandby: () => setStandbys('missing'),
    /** Stops commits from waiting, including those that already wait. */
    restoreStandby: () => setStandbys(''),
    countBackends,
    /** Resolves once this many backends of the service wait for the standby. */
    async untilWaiting(count: number): Promise<void> {
      while ((await countBackends()).waiting < count) await sleep(20);
    },
    /** Ends the backends that wait for the standby, as a crash would: their commits exist only on this server. */
    async endWaiting(how: EndOfWaiting = 'pg_terminate_backend'): Promise<void> {
      // Those of now: the next batch may wait already when these have ended, even in the same backend.
      const waiting = "SELECT pid, xact_start FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
      const find = (columns: string) =>
        administer<{ key: string }>(`SELECT waiting::text AS key${columns} FROM (${waiting}) AS waiting`);
      const ended = new Set((await find(`, ${how}(pid)`)).map(({ key }) => key));
      const areWaiting = async () => (await find('')).some(({ key }) => ended.has(key));
      while (await areWaiting()) await sleep(20);
    },
    remove: server.remove,
  };
}
