import type { Pool } from 'pg';
import { OperatorError } from '../../../errors/operator-error.js';
import { findDriverError, isAway } from '../errors.js';
import { readNodeSettings, requireDurable } from './inspect-nodes.js';
import {
  type CitusNode,
  coordinatorGroup,
  type NodeAddress,
  nameOfNode,
  type ShardMap,
} from './shard-map.js';

/** Which nodes are known to commit durably. */
export interface DurableNodes {
  /**
   * Runs a statement for the shards of a node, which is checked before the first one, and again after it was away: a standby
   * with other settings may have taken its place.
   */
  readonly run: RunOnNode;
  /** Checks all nodes, whose settings may have changed. It never throws. */
  check(): void;
}

interface DurableNodesOptions {
  readonly pool: Pick<Pool, 'query'>;
  currentMap(): ShardMap | undefined;
  readonly runOnNode: RunOnNode;
}

/**
 * Watches that the nodes of Citus commit durably. A node that was found not to gets no more statements until the service is
 * started again: for minutes the coordinator keeps connections that have the former settings.
 */
export function createDurableNodes({ pool, currentMap, runOnNode }: DurableNodesOptions): DurableNodes {
  const durable = new Set<number>();
  const rejected = new Map<number, Error>();
  const checking = new Map<number, Promise<void>>();

  function check(node: number): Promise<void> {
    const address = currentMap()?.nodes.get(node);
    // What the coordinator stores itself is committed as the service has set it for its own connections.
    if (address === undefined || node === coordinatorGroup) return Promise.resolve();
    const current =
      checking.get(node) ?? checkAt({ group: node, ...address }).finally(() => checking.delete(node));
    checking.set(node, current);
    return current;
  }

  async function checkAt(node: CitusNode): Promise<void> {
    try {
      requireDurable(await readNodeSettings(pool, node), node);
      durable.add(node.group);
    } catch (error) {
      // A check that cannot run shows nothing about a node that stores plants: it may lack a free connection.
      if (!(error instanceof OperatorError)) throw error;
      durable.delete(node.group);
      // 55000 is object_not_in_prerequisite_state: the request can be retried.
      const problem = Object.assign(new Error(error.message), { severity: 'ERROR', code: '55000' });
      rejected.set(node.group, problem);
      throw problem;
    }
  }

  return {
    async run(node, statement) {
      const problem = rejected.get(node);
      if (problem !== undefined) throw problem;
      if (!durable.has(node)) await runOnNode(node, () => check(node));
      try {
        return await runOnNode(node, statement);
      } catch (error) {
        const driverError = findDriverError(error);
        if (driverError === undefined || isAway(driverError)) durable.delete(node);
        throw driverError?.code === queryCanceled
          ? nameNode(error, driverError.message, currentMap()?.nodes.get(node))
          : error;
      }
    },
    check() {
      for (const node of currentMap()?.nodes.keys() ?? []) {
        if (!rejected.has(node)) runOnNode(node, () => check(node)).catch(() => undefined);
      }
    },
  };
}

/** The SQLSTATE of a statement that was cancelled by its timeout, which does not name the node that it has waited for. */
const queryCanceled = '57014';

function nameNode(cause: unknown, message: string, node: NodeAddress | undefined): unknown {
  if (node === undefined) return cause;
  const named = new Error(`${message}, in a statement for the node ${nameOfNode(node)}`, { cause });
  return Object.assign(named, { severity: 'ERROR', code: queryCanceled });
}

/** Runs a statement for the shards of a node. */
export type RunOnNode = <Result>(node: number, statement: () => Promise<Result>) => Promise<Result>;

/**
 * Creates a function that runs a statement for the shards of a node, unless an earlier one for it is overdue (a circuit
 * breaker, https://martinfowler.com/bliki/CircuitBreaker.html). A session of the coordinator that waits for a node that does
 * not answer, such as a frozen one, cannot be cancelled and keeps its connection; without this, each statement that times
 * out would cost another one, until none is left for the other nodes.
 *
 * @param afterMs after how long a statement is overdue, in milliseconds: the server should have cancelled it by then
 * @param nameOf the name of a node for the error
 * @throws {Error} that counts as one of the connection, while an earlier statement is overdue
 */
export function createRunOnNode(afterMs: number, nameOf: (node: number) => string): RunOnNode {
  const startedByNode = new Map<number, Set<{ readonly at: number }>>();
  return async function runOnNode(node, statement) {
    const started = startedByNode.get(node) ?? new Set();
    startedByNode.set(node, started);
    const now = performance.now();
    const [oldest] = started;
    if (oldest !== undefined && now - oldest.at >= afterMs) {
      throw new Error(`timeout exceeded: the node ${nameOf(node)} has not answered an earlier statement`);
    }
    const start = { at: now };
    started.add(start);
    try {
      return await statement();
    } finally {
      started.delete(start);
    }
  };
}
