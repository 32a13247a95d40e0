import type { Pool } from 'pg';
import { OperatorError } from '../../../errors/operator-error.js';
import { withTimeout } from '../../../runtime/timing.js';
import { type DatabaseLog, databaseUnavailable } from '../../database.js';
import { allTables, type Table } from '../../table.js';
import { findDriverError } from '../errors.js';
import { probeCommit } from '../probe-commit.js';
import { findIdOn, locate, readNodes, requireDurable, type ShardNode, shareOf } from './nodes.js';

/** How long a check may take after a failure, and how often nodes that are away are checked, in milliseconds; every tenth time all are. */
const checkMs = 1_000;
/** How long those may take that no failure has caused: on a busy cluster they wait for a connection. */
const slowCheckMs = 10_000;
/** The most of the ids that a ready service cannot store; fractions are not exact. */
const maxAway = 0.5 + 1e-9;

export type NodeWatch = Awaited<ReturnType<typeof watchNodes>>;

/**
 * Watches which nodes are away: those whose latest check has failed. One that would acknowledge a record before it is on its disk is
 * away until the end: for minutes the coordinator keeps connections that have the former settings.
 *
 * @throws {OperatorError} when there is one of the latter already
 */
export async function watchNodes(
  pool: Pick<Pool, 'query'>,
  log: Pick<DatabaseLog, 'info' | 'warn'>,
  tables: readonly Table[] = allTables,
) {
  let nodes = await readNodes(pool, tables);
  const problems = new Map<number | undefined, Error>();
  const checks = new Map<number, Promise<void>>();

  /** The fraction of all ids that are on nodes that are away, from 0 to 1. */
  const failingShare = () =>
    nodes.reduce((sum, { group, shards }) => sum + (problems.has(group) ? shareOf(shards) : 0), 0);

  function setProblem({ group }: ShardNode, err: Error): void {
    const wasDegraded = failingShare() > 0;
    problems.set(group, err);
    if (!wasDegraded) log.warn({ failingShare: failingShare(), err }, 'degraded');
  }

  async function checkNode(node: ShardNode): Promise<void> {
    try {
      await requireDurable(pool, node);
      const id = findIdOn(node);
      if (id !== undefined) await probeCommit(pool, id, tables);
      if (problems.delete(node.group) && failingShare() === 0) log.info({}, 'no longer degraded');
    } catch (error) {
      // A check that cannot run shows nothing about a node: it may lack a free connection.
      const isOfNode = error instanceof OperatorError || findDriverError(error)?.code !== undefined;
      if (isOfNode && error instanceof Error) setProblem(node, error);
    }
  }

  /** A node has one check at a time. Resolves once it has ended, or has taken too long: then the node is away, too. */
  async function checkOnce(node: ShardNode, withinMs = checkMs): Promise<void> {
    const { group, name } = node;
    if (problems.get(group) instanceof OperatorError) return;
    const check = checks.get(group) ?? checkNode(node).finally(() => checks.delete(group));
    checks.set(group, check);
    await withTimeout(check, withinMs, () => setProblem(node, new Error(`${name} does not answer`)));
  }

  const checkAll = (withinMs?: number) => Promise.all(nodes.map((node) => checkOnce(node, withinMs)));
  await checkAll(slowCheckMs);
  for (const problem of problems.values()) if (problem instanceof OperatorError) throw problem;
  let ticks = 0;
  const timer = setInterval(async () => {
    const isTenth = ++ticks % 10 === 0;
    // A coordinator that does not answer is noticed by what needs it.
    if (isTenth) nodes = await readNodes(pool, tables).catch(() => nodes);
    for (const node of nodes) if (isTenth || problems.has(node.group)) void checkOnce(node, slowCheckMs);
  }, checkMs).unref();
  return {
    failingShare,
    checkAll,
    locate: (id: bigint) => locate(nodes, id),
    /** Why a node is sent nothing, if it is away. */
    refusalOf(group: number | undefined) {
      const problem = problems.get(group);
      return problem && databaseUnavailable(problem);
    },
    /** @throws {ServiceError} why less than half of the ids can be stored */
    requireEnough() {
      const [problem] = problems.values();
      if (problem && failingShare() > maxAway) throw databaseUnavailable(problem);
    },
    close: () => clearInterval(timer),
  };
}
