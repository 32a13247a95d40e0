import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** How many requests are handled in one turn of the event loop before others have to wait for the next. */
export const requestsPerTurn = 32;

/** How many requests of a connection may wait; with so many nothing more is read from it. */
const waitingPerConnection = 16;

type Waiting = Parameters<RequestListener>[];

/**
 * Handles requests in turns of bounded length: those of a connection in the order in which they came, and the
 * connections in rotation, so that one with many requests does not keep the others waiting.
 *
 * Node.js accepts one connection in each turn of the event loop, and reads in that turn from every connection on which
 * something has come. With a thousand busy connections a turn would last as long as a thousand requests, and a new
 * connection would wait for as many turns as there are others before it.
 */
export function paceRequests(handle: RequestListener): RequestListener {
  /** The requests that wait, by their connections; the connection whose turn it is comes first. */
  const waiting = new Map<Socket, Waiting>();
  let waitingCount = 0;
  /** How many requests this turn may still handle; `undefined` outside of one. */
  let left: number | undefined;

  function startTurn(): void {
    const count = Math.min(waitingCount, requestsPerTurn);
    left = requestsPerTurn - count;
    // Each in a callback of its own, so that all that it leads to is done before the next.
    for (let index = 0; index < count; index++) setImmediate(handleNext);
    setImmediate(endTurn);
  }

  function handleNext(): void {
    const [first] = waiting;
    if (first === undefined) return;
    const [connection, requests] = first;
    waiting.delete(connection);
    // Of a client that has gone away nothing more is wanted.
    const taken = connection.destroyed ? requests.splice(0) : requests.splice(0, 1);
    waitingCount -= taken.length;
    if (requests.length > 0) waiting.set(connection, requests);
    if (requests.length === waitingPerConnection - 1) resumeReading(connection);
    const [next] = taken;
    if (next !== undefined && !connection.destroyed) handle(...next);
  }

  function endTurn(): void {
    left = undefined;
    if (waitingCount > 0) startTurn();
  }

  function wait(...exchange: Parameters<RequestListener>): void {
    const { socket } = exchange[0];
    const requests = waiting.get(socket) ?? [];
    requests.push(exchange);
    waiting.set(socket, requests);
    waitingCount++;
    if (requests.length === waitingPerConnection) pauseReading(socket);
  }

  return function paceRequest(request, response) {
    if (left === undefined) startTurn();
    if (left === 0 || waitingCount > 0) {
      wait(request, response);
    } else {
      left = (left ?? 0) - 1;
      handle(request, response);
    }
  };
}

/** Reads nothing more from a connection. What is read of it already may still bring requests. */
function pauseReading(connection: Socket): void {
  connection.pause();
  connection.on('resume', pauseAgain);
}

function resumeReading(connection: Socket): void {
  connection.off('resume', pauseAgain);
  connection.resume();
}

/** Node.js resumes a connection whenever one of its requests is read or answered. */
function pauseAgain(this: Socket): void {
  this.pause();
}
