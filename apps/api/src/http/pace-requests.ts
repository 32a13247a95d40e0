import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** How many requests are handled in one turn of the event loop; more wait for the next turn. */
export const requestsPerTurn = 32;

/** How many requests of a connection may wait before reading from it is paused. */
const waitingPerConnection = 16;

type Waiting = Parameters<RequestListener>[];

/**
 * Bounds how many requests are handled in a turn of the event loop. Those of one connection keep their order, and
 * connections take turns, so that one with many requests does not hold up the others.
 *
 * Node.js accepts one connection in each turn of the event loop, and reads in that turn from every connection that has
 * data. With a thousand busy connections a turn would last as long as a thousand requests, and a new connection would wait
 * for as many turns as there are connections before it.
 */
export function paceRequests(handle: RequestListener): RequestListener {
  /** The waiting requests by connection; the next connection comes first. */
  const waiting = new Map<Socket, Waiting>();
  let waitingCount = 0;
  /** How many requests this turn may still handle; `undefined` outside of one. */
  let left: number | undefined;

  function startTurn(): void {
    const count = Math.min(waitingCount, requestsPerTurn);
    left = requestsPerTurn - count;
    // A callback for each, so that its microtasks run before the next request.
    for (let index = 0; index < count; index++) setImmediate(handleNext);
    setImmediate(endTurn);
  }

  function handleNext(): void {
    const [first] = waiting;
    if (first === undefined) return;
    const [connection, requests] = first;
    waiting.delete(connection);
    // The requests of a client that has disconnected are dropped.
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

/** Stops reading from a connection. What was read already may still contain requests. */
function pauseReading(connection: Socket): void {
  connection.pause();
  connection.on('resume', pauseAgain);
}

function resumeReading(connection: Socket): void {
  connection.off('resume', pauseAgain);
  connection.resume();
}

/** Node.js resumes a connection whenever one of its requests was read or answered. */
function pauseAgain(this: Socket): void {
  this.pause();
}
