import type { RequestListener } from 'node:http';

/** How many requests are handled in one turn of the event loop before others have to wait for the next. */
export const requestsPerTurn = 16;

/**
 * Handles requests in turns of bounded length, in the order in which they came.
 *
 * Node.js accepts one connection in each turn of the event loop, and reads in that turn from every connection on which
 * something has come. With a thousand busy connections a turn would last as long as a thousand requests, and a new
 * connection would wait for as many turns as there are others before it.
 */
export function paceRequests(handle: RequestListener): RequestListener {
  let waiting: Parameters<RequestListener>[] = [];
  /** How many of those that wait are handled already. */
  let taken = 0;
  /** How many requests this turn may still handle; `undefined` outside of one. */
  let left: number | undefined;

  function startTurn(): void {
    const count = Math.min(waiting.length - taken, requestsPerTurn);
    left = requestsPerTurn - count;
    // Each in a callback of its own, so that all that it leads to is done before the next.
    for (let index = 0; index < count; index++) setImmediate(handleNext);
    setImmediate(endTurn);
  }

  function handleNext(): void {
    const next = waiting[taken++];
    // Of a client that has gone away nothing more is wanted.
    if (next !== undefined && !next[0].socket.destroyed) handle(...next);
  }

  function endTurn(): void {
    waiting = waiting.slice(taken);
    taken = 0;
    left = undefined;
    if (waiting.length > 0) startTurn();
  }

  return function paceRequest(request, response) {
    if (left === undefined) startTurn();
    if (left === 0 || waiting.length > 0) {
      waiting.push([request, response]);
    } else {
      left = (left ?? 0) - 1;
      handle(request, response);
    }
  };
}
