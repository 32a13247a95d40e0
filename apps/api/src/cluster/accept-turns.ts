/** How soon after another one a connection is part of a burst, and how long a worker waits then, in milliseconds. */
const burstMs = 2;
const turnMs = 1;
/** The time that may be spent waiting at once, in milliseconds, and the share of all time that may be spent in the long run. */
const maxWaitMs = 200;
const waitShare = 0.05;

/**
 * Lets other workers accept connections of a burst. All accept from one socket, each one connection a turn of its event loop, so
 * a process that runs while others do not takes many in a row. After one that follows another it blocks its event loop for a
 * moment, in which they get their turn; how long together is limited, however many are opened.
 *
 * @param now returns a time in milliseconds
 * @param wait blocks this thread for so many milliseconds
 * @returns a function to call after each connection that was accepted
 */
export function createAcceptTurns(
  now: () => number = () => performance.now(),
  wait: (milliseconds: number) => void = block,
): () => void {
  let waitMs = maxWaitMs;
  let lastAt = Number.NEGATIVE_INFINITY;
  return function onAccepted() {
    const acceptedAt = now();
    const sinceLastMs = acceptedAt - lastAt;
    waitMs = Math.min(maxWaitMs, waitMs + sinceLastMs * waitShare);
    lastAt = acceptedAt;
    if (sinceLastMs >= burstMs || waitMs < turnMs) return;
    wait(turnMs);
    lastAt = now();
    waitMs -= lastAt - acceptedAt;
  };
}

const cell = new Int32Array(new SharedArrayBuffer(4));

function block(milliseconds: number): void {
  Atomics.wait(cell, 0, 0, milliseconds);
}
