import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Called before the request is handled. */
  readonly prepare?: (() => void) | undefined;
}

/** The current exchange of a connection, and the exchanges that wait behind it. */
interface Line {
  current: Exchange;
  readonly waiting: Exchange[];
  /** How many bytes the waiting exchanges take. */
  bytes: number;
}

/**
 * How many requests of a connection may wait, and how many bytes they may take, before reading is paused. The data already read may contain
 * many more.
 */
const waitingToPause = { count: 16, bytes: 65_536 };

/** How many bytes the waiting requests of all connections may take. A connection may not take more than is left free. */
const maxWaitingBytes = 3 * 2 ** 24;

/** The bytes that a request takes in addition to its head. */
const bytesPerRequest = 3_072;

export type Exchanges = ReturnType<typeof createExchanges>;

/** Runs the exchanges of a connection one after the other, so that each connection holds at most one reply and the work for it. */
export function createExchanges(begin: (exchange: Exchange) => void) {
  const lines = new WeakMap<Duplex, Line>();
  let waitingBytes = 0;

  function addLine(current: Exchange): void {
    const { socket } = current.request;
    const line: Line = { current, waiting: [], bytes: 0 };
    lines.set(socket, line);
    socket.once('close', () => {
      line.waiting.length = 0;
      count(line, -line.bytes);
    });
  }

  function count(line: Line, bytes: number): void {
    line.bytes += bytes;
    waitingBytes += bytes;
  }

  function wait(line: Line, exchange: Exchange): void {
    const { socket } = exchange.request;
    const bytes = bytesOf(exchange);
    if (line.bytes + bytes > maxWaitingBytes - waitingBytes) socket.destroy();
    // Node.js keeps parsing requests of a closed connection until the end of the turn.
    if (socket.destroyed) return;
    const wasFull = isFull(line);
    line.waiting.push(exchange);
    count(line, bytes);
    if (line.waiting.length === 1) beginNextAfter(line, line.current);
    if (!wasFull && isFull(line)) pauseReading(socket);
  }

  function beginNextAfter(line: Line, { request: { socket }, response }: Exchange): void {
    response.once('finish', () => {
      // After the last reply Node.js closes the connection.
      if (socket.destroyed || socket.writableEnded) return;
      const wasFull = isFull(line);
      const next = line.waiting.shift();
      if (next === undefined) return;
      count(line, -bytesOf(next));
      line.current = next;
      if (line.waiting.length > 0) beginNextAfter(line, next);
      if (wasFull && !isFull(line)) resumeReading(socket);
      begin(next);
    });
  }

  return {
    /** Begins an exchange, once the reply before it on its connection has left the process. */
    add(exchange: Exchange): void {
      const { socket } = exchange.request;
      // The last reply has been sent.
      if (socket.writableEnded) return;
      const line = lines.get(socket);
      if (line !== undefined && !(line.waiting.length === 0 && isOver(line.current))) {
        wait(line, exchange);
        return;
      }
      if (line === undefined) addLine(exchange);
      else line.current = exchange;
      begin(exchange);
    },
    /** The exchanges of a connection whose replies have not left the process, oldest first. */
    unanswered(connection: Duplex): readonly Exchange[] {
      const line = lines.get(connection);
      if (line === undefined) return [];
      return isOver(line.current) ? line.waiting : [line.current, ...line.waiting];
    },
    /** The latest exchange of a connection, answered or not. */
    latest(connection: Duplex): Exchange | undefined {
      const line = lines.get(connection);
      return line?.waiting.at(-1) ?? line?.current;
    },
  };
}

/** Whether so much waits on a connection that reading is paused. */
function isFull({ waiting, bytes }: Line): boolean {
  return waiting.length >= waitingToPause.count || bytes >= waitingToPause.bytes;
}

function bytesOf({ request: { url = '', rawHeaders } }: Exchange): number {
  return rawHeaders.reduce((sum, text) => sum + text.length, bytesPerRequest + url.length);
}

/** Whether the reply was passed to the operating system, and the connection is free for the next one. */
function isOver({ response }: Exchange): boolean {
  return response.writableFinished && response.socket === null;
}

/** Stops reading from a connection. Data that was read already may still contain requests. */
function pauseReading(connection: Duplex): void {
  connection.pause();
  connection.on('resume', pauseAgain);
}

function resumeReading(connection: Duplex): void {
  connection.off('resume', pauseAgain);
  connection.resume();
}

/** Node.js resumes a connection whenever one of its requests was read or answered. */
function pauseAgain(this: Duplex): void {
  this.pause();
}
