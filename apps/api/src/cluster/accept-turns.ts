/** How long a worker waits before it accepts the next connection, in milliseconds. */
const turnMs = 1;
/** The time that may be spent waiting at once, in milliseconds, and the share of all time that may be spent in the long run. */
const maxWaitMs = 200;
const waitShare = 0.05;

/**
 * Lets other workers accept connections before one that has more than its share. All accept from one socket, each one connection
 * a turn of its event loop, so a process that runs while others do not takes many in a row. One with more than its share blocks
 * its event loop for a moment, in which they get their turn; how long together is limited, however many are opened.
 *
 * @param now returns a time in milliseconds
 * @param wait blocks this thread for so many milliseconds
 */
export function createAcceptTurns(
  now: () => number = () => performance.now(),
  wait: (milliseconds: number) => void = block,
) {
  let share = 0;
  let waitMs = maxWaitMs;
  let lastAt = now();
  return {
    /** Sets how many connections each worker has on average. */
    setShare(connections: number): void {
      share = connections;
    },
    /** To be called with the number of connections after each that was accepted. */
    onAccepted(connections: number): void {
      if (connections <= share) return;
      const startedAt = now();
      waitMs = Math.min(maxWaitMs, waitMs + (startedAt - lastAt) * waitShare);
      lastAt = startedAt;
      if (waitMs < turnMs) return;
      wait(turnMs);
      waitMs -= now() - startedAt;
    },
  };
}

const cell = new Int32Array(new SharedArrayBuffer(4));

function block(milliseconds: number): void {
  Atomics.wait(cell, 0, 0, milliseconds);
}
