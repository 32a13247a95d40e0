import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Called before the request is handled. */
  readonly prepare?: (() => void) | undefined;
}

/** A connection's current exchange, and the exchanges that wait behind it. */
interface Line {
  current: Exchange;
  readonly waiting: Exchange[];
  /** How many bytes the waiting exchanges take. */
  bytes: number;
}

/**
 * How many requests of a connection can wait, and how many bytes they can take, before the service stops reading from it. The data already
 * read can contain many more requests.
 */
const pauseThreshold = { count: 16, bytes: 65_536 };

/** How many bytes the waiting requests of all connections can take. A connection cannot take more than is left free. */
const maxWaitingBytes = 3 * 2 ** 24;

/** How many bytes a request takes, in addition to its head. */
const bytesPerRequest = 3_072;

export type Exchanges = ReturnType<typeof createExchanges>;

/** Handles each connection's requests one after the other, so that a connection holds at most one reply and the work for it. */
export function createExchanges(handle: (exchange: Exchange) => void) {
  const lines = new WeakMap<Duplex, Line>();
  let waitingBytes = 0;

  function addLine(current: Exchange): void {
    const { socket } = current.request;
    const line: Line = { current, waiting: [], bytes: 0 };
    lines.set(socket, line);
    socket.once('close', () => {
      line.waiting.length = 0;
      addBytes(line, -line.bytes);
    });
  }

  function addBytes(line: Line, bytes: number): void {
    line.bytes += bytes;
    waitingBytes += bytes;
  }

  function enqueue(line: Line, exchange: Exchange): void {
    const { socket } = exchange.request;
    const bytes = bytesOf(exchange);
    if (line.bytes + bytes > maxWaitingBytes - waitingBytes) socket.destroy();
    // Node.js keeps parsing a closed connection's requests until the end of the turn.
    if (socket.destroyed) return;
    const wasFull = isFull(line);
    line.waiting.push(exchange);
    addBytes(line, bytes);
    if (line.waiting.length === 1) handleNextAfter(line, line.current);
    if (!wasFull && isFull(line)) pauseReading(socket);
  }

  function handleNextAfter(line: Line, { request: { socket }, response }: Exchange): void {
    response.once('finish', () => {
      // Node.js closes the connection after the last reply.
      if (socket.destroyed || socket.writableEnded) return;
      const wasFull = isFull(line);
      const next = line.waiting.shift();
      if (next === undefined) return;
      addBytes(line, -bytesOf(next));
      line.current = next;
      if (line.waiting.length > 0) handleNextAfter(line, next);
      if (wasFull && !isFull(line)) resumeReading(socket);
      handle(next);
    });
  }

  return {
    /** Handles an exchange once the previous reply on the same connection has left the process. */
    add(exchange: Exchange): void {
      const { socket } = exchange.request;
      // The connection's last reply has already been sent.
      if (socket.writableEnded) return;
      const line = lines.get(socket);
      if (line !== undefined && !(line.waiting.length === 0 && isOver(line.current))) {
        enqueue(line, exchange);
        return;
      }
      if (line === undefined) addLine(exchange);
      else line.current = exchange;
      handle(exchange);
    },
    /** Returns a connection's exchanges whose replies have not left the process, oldest first. */
    unanswered(connection: Duplex): readonly Exchange[] {
      const line = lines.get(connection);
      if (line === undefined) return [];
      return isOver(line.current) ? line.waiting : [line.current, ...line.waiting];
    },
    /** Returns a connection's latest exchange, answered or not. */
    latest(connection: Duplex): Exchange | undefined {
      const line = lines.get(connection);
      return line?.waiting.at(-1) ?? line?.current;
    },
  };
}

/** Whether so much waits on a connection that reading is paused. */
function isFull({ waiting, bytes }: Line): boolean {
  return waiting.length >= pauseThreshold.count || bytes >= pauseThreshold.bytes;
}

function bytesOf({ request: { url = '', rawHeaders } }: Exchange): number {
  return rawHeaders.reduce((sum, text) => sum + text.length, bytesPerRequest + url.length);
}

/** Whether the reply was passed to the operating system, and the connection is free for the next one. */
function isOver({ response }: Exchange): boolean {
  return response.writableFinished && response.socket === null;
}

/** Stops reading from a connection. The data already read can still contain requests. */
function pauseReading(connection: Duplex): void {
  connection.pause();
  connection.on('resume', pauseAgain);
}

function resumeReading(connection: Duplex): void {
  connection.off('resume', pauseAgain);
  connection.resume();
}

/** Pauses a connection again, because Node.js resumes it whenever a request has been read or answered. */
function pauseAgain(this: Duplex): void {
  this.pause();
}
