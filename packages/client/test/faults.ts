import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** A request that the server has read, and how it can respond. */
export interface ReceivedRequest {
  readonly requestId: string;
  readonly socket: Socket;
  /** Stores the plant, unless it is already stored; returns the body of the reply. */
  store(): { readonly text: string; readonly replayed: boolean };
  /** Sends a complete reply, and keeps the connection open. */
  respond(status: number, body: string, headers?: Readonly<Record<string, string>>): void;
}

/** How an attempt ends unless it is cut short: with a reply that the API defines, with another page, or with neither. */
type End = 'reply' | 'page' | 'refused' | 'broken' | 'silence';

/** What happens to one attempt. */
export interface ChaosFault {
  /** Where the attempt is sent: to the service, to a listener that hangs up immediately, or to a closed port. */
  readonly listener: 'service' | 'dropping' | 'resetting' | 'closed';
  readonly end: End;
  /** The status of the reply or page. */
  readonly status?: number;
  /** The minimum delay that `Retry-After` asks for, in milliseconds. */
  readonly retryAfterMs?: number;
  /** What the service does once it has read the request. */
  readonly handle?: (request: ReceivedRequest) => unknown;
}

const html = '<!doctype html><title>Somewhere else</title>';

/** The head of a reply that is written directly to the socket. */
function writeHead(length: number, requestId: string, replayed: boolean): string {
  return [
    'HTTP/1.1 200 OK',
    'connection: close',
    `content-length: ${length}`,
    `x-request-id: ${requestId}`,
    `idempotent-replayed: ${replayed}`,
    '\r\n',
  ].join('\r\n');
}

/** Hangs up before or after storing, once it has sent that portion of the reply. */
function hangUp(manner: 'end' | 'reset', stores: boolean, portion: 'nothing' | 'head' | 'body'): ChaosFault {
  return {
    listener: 'service',
    end: 'broken',
    handle({ requestId, socket, store }) {
      if (stores) store();
      const whole = `${writeHead(40, requestId, false)}{"name":"Monst`;
      const part = { nothing: '', head: whole.slice(0, 30), body: whole }[portion];
      if (manner === 'end') socket.end(part);
      else if (part === '') socket.resetAndDestroy();
      else socket.write(part, () => socket.resetAndDestroy());
    },
  };
}

/** Stores, then sends the reply in pieces. */
function slow(pieces: number, delayMs: number): ChaosFault {
  return {
    listener: 'service',
    end: 'reply',
    status: 200,
    async handle({ requestId, socket, store }) {
      const { text, replayed } = store();
      const whole = writeHead(Buffer.byteLength(text), requestId, replayed) + text;
      const length = Math.ceil(whole.length / pieces);
      for (let from = 0; from < whole.length && !socket.destroyed; from += length) {
        socket.write(whole.slice(from, from + length));
        await delay(delayMs);
      }
      socket.end();
    },
  };
}

/** Sends nothing until the client hangs up. */
function silence(stores: boolean): ChaosFault {
  return { listener: 'service', end: 'silence', handle: ({ store }) => stores && store() };
}

/** Responds with an error that the API defines. */
function reject(status: number, retryAfter?: () => string, retryAfterMs?: number): ChaosFault {
  return {
    listener: 'service',
    end: 'reply',
    status,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    handle: ({ respond }) =>
      respond(
        status,
        JSON.stringify({ error: status * 100, message: 'No.' }),
        retryAfter && { 'retry-after': retryAfter() },
      ),
  };
}

/** Responds with something that the API does not define. */
function page(status: number, text: string, stores = false): ChaosFault {
  return {
    listener: 'service',
    end: 'page',
    status,
    handle({ respond, store }) {
      if (stores) store();
      respond(status, text, { 'content-type': text === html ? 'text/html' : 'application/json' });
    },
  };
}

const success: ChaosFault = {
  listener: 'service',
  end: 'reply',
  status: 200,
  handle({ respond, store }) {
    const { text, replayed } = store();
    respond(200, text, replayed ? { 'idempotent-replayed': 'true' } : undefined);
  },
};

/** Everything that may happen to an attempt. */
export const faults = {
  success,
  'connection refused': { listener: 'closed', end: 'refused' },
  'dropped after accept': { listener: 'dropping', end: 'broken' },
  'reset after accept': { listener: 'resetting', end: 'broken' },
  'dropped before storing': hangUp('end', false, 'nothing'),
  'reset before storing': hangUp('reset', false, 'nothing'),
  'dropped after storing': hangUp('end', true, 'nothing'),
  'reset after storing': hangUp('reset', true, 'nothing'),
  'dropped in the head': hangUp('end', true, 'head'),
  'reset in the head': hangUp('reset', true, 'head'),
  'dropped in the body': hangUp('end', true, 'body'),
  'reset in the body': hangUp('reset', true, 'body'),
  slow: slow(4, 3),
  'too slow': slow(8, 80),
  'silence before storing': silence(false),
  'silence after storing': silence(true),
  '503': reject(503),
  '503, again immediately': reject(503, () => '0', 0),
  '503, again in a second': reject(503, () => '1', 1_000),
  '503, again at a time': reject(503, () => new Date(Date.now() + 1_000).toUTCString(), 0),
  '503, again much later': reject(503, () => '20', 20_000),
  '429': reject(429),
  '429, again immediately': reject(429, () => '0', 0),
  '500': reject(500),
  '401': reject(401),
  '400': reject(400),
  '502 page': page(502, html),
  '504 page': page(504, html, true),
  '200 page': page(200, html),
  'empty 200': page(200, '', true),
  'truncated JSON': page(200, '{"name":"Monst', true),
} satisfies Record<string, ChaosFault>;

export type FaultName = keyof typeof faults;

export const faultNames = Object.keys(faults) as [FaultName, ...FaultName[]];
