import { setTimeout as delay } from 'node:timers/promises';
import type { Visit } from './chaos-server.js';

/** What an attempt comes to when nothing cuts it short: a reply of the interface, another page, or neither. */
type End = 'reply' | 'page' | 'refused' | 'broken' | 'silence';

/** Something that one attempt meets. */
export interface Fault {
  /** Where the attempt is sent: to the server, to one that hangs up at once, or where nobody listens. */
  readonly door: 'open' | 'dropping' | 'resetting' | 'closed';
  readonly end: End;
  /** The status of the reply or page. */
  readonly status?: number;
  /** What `Retry-After` asks for at least, in milliseconds. */
  readonly retryAfterMs?: number;
  /** What the server does once it has read the request. */
  readonly meet?: (visit: Visit) => unknown;
}

const html = '<!doctype html><title>Somewhere else</title>';

/** The head of a reply that is written to the socket as it is, byte by byte. */
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

/** Hangs up before or after storing, after the first bytes of the reply that `portion` gives. */
function hangUp(manner: 'end' | 'reset', stores: boolean, portion: 'nothing' | 'head' | 'body'): Fault {
  return {
    door: 'open',
    end: 'broken',
    meet({ requestId, socket, store }) {
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
function slow(pieces: number, backoffDelayMs: number): Fault {
  return {
    door: 'open',
    end: 'reply',
    status: 200,
    async meet({ requestId, socket, store }) {
      const { text, replayed } = store();
      const whole = writeHead(Buffer.byteLength(text), requestId, replayed) + text;
      const length = Math.ceil(whole.length / pieces);
      for (let from = 0; from < whole.length && !socket.destroyed; from += length) {
        socket.write(whole.slice(from, from + length));
        await delay(backoffDelayMs);
      }
      socket.end();
    },
  };
}

/** Says nothing until the client hangs up. */
function silence(stores: boolean): Fault {
  return { door: 'open', end: 'silence', meet: ({ store }) => stores && store() };
}

/** Refuses with an error of the interface. */
function refuse(status: number, retryAfter?: () => string, retryAfterMs?: number): Fault {
  return {
    door: 'open',
    end: 'reply',
    status,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    meet: ({ answer }) =>
      answer(
        status,
        JSON.stringify({ error: status * 100, message: 'No.' }),
        retryAfter && { 'retry-after': retryAfter() },
      ),
  };
}

/** Answers with what is no reply of the interface. */
function page(status: number, text: string, stores = false): Fault {
  return {
    door: 'open',
    end: 'page',
    status,
    meet({ answer, store }) {
      if (stores) store();
      answer(status, text, { 'content-type': text === html ? 'text/html' : 'application/json' });
    },
  };
}

const success: Fault = {
  door: 'open',
  end: 'reply',
  status: 200,
  meet({ answer, store }) {
    const { text, replayed } = store();
    answer(200, text, replayed ? { 'idempotent-replayed': 'true' } : undefined);
  },
};

/** All that attempts may meet. */
export const faults = {
  success,
  'connection refused': { door: 'closed', end: 'refused' },
  'dropped after accept': { door: 'dropping', end: 'broken' },
  'reset after accept': { door: 'resetting', end: 'broken' },
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
  '503': refuse(503),
  '503, again at once': refuse(503, () => '0', 0),
  '503, again in a second': refuse(503, () => '1', 1_000),
  '503, again at a time': refuse(503, () => new Date(Date.now() + 1_000).toUTCString(), 0),
  '503, again much later': refuse(503, () => '20', 20_000),
  '429': refuse(429),
  '429, again at once': refuse(429, () => '0', 0),
  '500': refuse(500),
  '401': refuse(401),
  '400': refuse(400),
  '502 page': page(502, html),
  '504 page': page(504, html, true),
  '200 page': page(200, html),
  'empty 200': page(200, '', true),
  'truncated JSON': page(200, '{"name":"Monst', true),
} satisfies Record<string, Fault>;

export type FaultName = keyof typeof faults;

export const faultNames = Object.keys(faults) as [FaultName, ...FaultName[]];
