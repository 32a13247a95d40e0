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
