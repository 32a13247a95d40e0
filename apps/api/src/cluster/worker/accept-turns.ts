/** How long a worker waits before it accepts the next connection, in milliseconds. */
const turnMs = 1;
/** The time that may be spent waiting at once, in milliseconds, and the share of all time that may be spent in the long run. */
const maxWaitMs = 200;
const waitShare = 0.05;

/** Lets other workers accept connections before one that has more than its share. */
export interface AcceptTurns {
  /** Sets how many connections each worker has on average. */
  setShare(connections: number): void;
  /** To be called with each connection that was accepted; returns after a moment if there are more than the share. */
  onAccepted(connections: number): void;
}

/**
 * All workers accept from one socket, and each takes one connection a turn of its event loop. A process that runs while others
 * do not takes many in a row, so one with more than its share blocks its event loop for a moment, in which they get their turn.
 * How long that takes together is limited, however many connections are opened.
 *
 * @param now returns a time in milliseconds
 * @param wait blocks this thread for so many milliseconds
 */
export function createAcceptTurns(
  now: () => number = () => performance.now(),
  wait: (milliseconds: number) => void = block,
): AcceptTurns {
  let share = 0;
  let waitMs = maxWaitMs;
  let lastAt = now();
  return {
    setShare(connections) {
      share = connections;
    },
    onAccepted(connections) {
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
