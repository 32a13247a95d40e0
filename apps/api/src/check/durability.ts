import type { ClientBase } from 'pg';
import { findUndurable } from '../store/postgresql/citus/nodes.js';
import { failure, type Item, ok, type Result, warning } from './finding.js';
import { type Distribution, presentNodes, queryRow } from './nodes.js';

interface Servers {
  readonly connection: ClientBase;
  /** The nodes of Citus, which have the same settings. */
  readonly distribution: Distribution | undefined;
}

/** Settings of the server, and of the nodes of Citus, without which a crash loses or damages what was committed. */
export const durability: Item<Servers> = {
  name: 'durability',
  async inspect({ connection, distribution }) {
    const server = await queryRow<CrashSettings>(
      connection,
      `SELECT current_setting('fsync') AS fsync, current_setting('full_page_writes') AS pages`,
    );
    const nodes = presentNodes(distribution);
    const problems = [
      ...assessCrashes(server),
      ...nodes.flatMap(({ node, settings }) => {
        const undurable = findUndurable(settings, node.name);
        return [
          ...(undurable === undefined ? [] : [failure(undurable.found, undurable.advice)]),
          ...assessCrashes(settings, ` on the node ${node.name}`),
        ];
      }),
    ];
    if (problems.length > 0) return problems;
    return ok(`fsync and full_page_writes are on${nodes.length === 0 ? '' : ', on the nodes that run, too'}`);
  },
};

interface CrashSettings {
  readonly fsync: string;
  readonly pages: string;
}

function assessCrashes({ fsync, pages }: CrashSettings, where = ''): readonly Result[] {
  const assess = (value: string, setting: string, effect: string) =>
    value === 'on'
      ? []
      : failure(
          `${setting} is off${where}: a crash of the machine ${effect}`,
          `ALTER SYSTEM SET ${setting} = on${where}, then SELECT pg_reload_conf(). If it was off, restore a backup after a crash.`,
        );
  return [
    assess(fsync, 'fsync', 'loses plants that were answered 200'),
    assess(pages, 'full_page_writes', 'may damage tables'),
  ].flat();
}

/** Whether a 200 waits for a standby. */
export const standby: Item<Servers> = {
  name: 'standby',
  async inspect({ connection, distribution }) {
    const server = await queryRow<ReplicationSettings>(connection, selectReplication);
    const ofNodes = presentNodes(distribution).map(({ node, settings }) =>
      assessNodeReplication(settings, node.name, server),
    );
    return [assessReplication(server), ...ofNodes.filter(({ status }) => status !== 'ok')];
  },
};

/** The settings of replication on the connections of the service, and how many standbys receive the log. */
interface ReplicationSettings {
  /** The value of `synchronous_commit`, which the service sets to `on` where it is `off`. */
  readonly commits: string;
  /** The value of `synchronous_standby_names`. */
  readonly names: string;
  readonly receivers: number;
}

/** In pg_stat_activity an ordinary user does not see which sessions of others are those of standbys. */
const selectReplication = `
  SELECT current_setting('synchronous_commit') AS commits, current_setting('synchronous_standby_names') AS names,
    (SELECT count(*)::int FROM pg_stat_replication) AS receivers`;

export function assessReplication({ commits, names, receivers }: ReplicationSettings): Result {
  const found = `synchronous_commit is ${commits}, synchronous_standby_names is ${names === '' ? 'empty' : `"${names}"`}`;
  if (names === '' && receivers > 0)
    return warning(
      `${found}, and ${receivers === 1 ? '1 standby or backup receives' : `${receivers} standbys or backups receive`} the log: a failover loses the latest plants that were answered 200`,
      'Set synchronous_standby_names, so that a 200 waits for a standby, if a failover must lose none.',
    );
  if (names !== '' && commits === 'local')
    return warning(
      `${found}: commits do not wait for the standby`,
      'Set synchronous_commit to on for the user: ALTER ROLE … SET synchronous_commit = on.',
    );
  if (names !== '' && commits === 'remote_write')
    return warning(
      `${found}: commits do not wait for the standby's disk`,
      'Set synchronous_commit to on for the user, if a simultaneous crash of both machines must lose none.',
    );
  return ok(found);
}

/** Assesses a node of Citus, which should be as safe as the coordinator. */
export function assessNodeReplication(
  settings: ReplicationSettings,
  node: string,
  coordinator: ReplicationSettings,
): Result {
  if (settings.names === '' && coordinator.names !== '')
    return warning(
      `the node ${node} has no synchronous standby, and the coordinator has: if it is lost, so are its latest plants that were answered 200`,
      'Set synchronous_standby_names there, too, if a failover must lose none.',
    );
  const result = assessReplication(settings);
  return { ...result, found: `on the node ${node} ${result.found}` };
}
