import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { listenOnFreePort } from './listen.js';

/** A request that the server has read, and how it can respond. */
interface ReceivedRequest {
  readonly requestId: string;
  readonly socket: Socket;
  /** Stores the plant, unless it is already stored; returns whether it was. */
  store(): boolean;
  /** Sends a complete reply, and keeps the connection open. */
  respond(status: number, body: string, headers?: Readonly<Record<string, string>>): void;
}

/** What happens to one attempt. */
export interface ChaosFault {
  /** Where the attempt is sent: to the service, to a listener that hangs up immediately, or to a closed port. */
  readonly listener: 'service' | 'dropping' | 'resetting' | 'closed';
  /** How it ends unless it is cut short: with a reply that the API defines, with another page, or with neither. */
  readonly end: 'reply' | 'page' | 'refused' | 'broken' | 'silence';
  /** The status of the reply or page. */
  readonly status?: number;
  /** The minimum delay that `Retry-After` asks for, in milliseconds. */
  readonly retryAfterMs?: number;
  /** What the service does once it has read the request. */
  readonly handle?: (request: ReceivedRequest) => unknown;
}

const plant = '{"name":"Monstera deliciosa"}';
const html = '<!doctype html><title>Somewhere else</title>';

/** A reply of success, as it is written to the socket. */
const replyOf = (requestId: string, replayed: boolean) =>
  `HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: ${plant.length}\r\n` +
  `x-request-id: ${requestId}\r\nidempotent-replayed: ${replayed}\r\n\r\n${plant}`;

/** Hangs up before or after storing, once it has sent so much of the reply. */
function hangUp(manner: 'end' | 'reset', stores: boolean, end = 0): ChaosFault {
  const handle = ({ requestId, socket, store }: ReceivedRequest) => {
    if (stores) store();
    const part = replyOf(requestId, false).slice(0, end);
    if (manner === 'end') socket.end(part);
    else if (part === '') socket.resetAndDestroy();
    else socket.write(part, () => socket.resetAndDestroy());
  };
  return { listener: 'service', end: 'broken', handle };
}

/** Stores, then sends the reply in pieces. */
function slow(pieces: number, delayMs: number): ChaosFault {
  const handle = async ({ requestId, socket, store }: ReceivedRequest) => {
    const whole = replyOf(requestId, store());
    const length = Math.ceil(whole.length / pieces);
    for (let from = 0; from < whole.length && !socket.destroyed; from += length) {
      socket.write(whole.slice(from, from + length));
      await delay(delayMs);
    }
    socket.end();
  };
  return { listener: 'service', end: 'reply', status: 200, handle };
}

function succeed({ respond, store }: ReceivedRequest): void {
  respond(200, plant, { 'idempotent-replayed': `${store()}` });
}

/** Responds with an error that the API defines; `retryAfter` asks for a delay of `retryAfterMs` at least. */
function reject(status: number, retryAfterMs = 0, retryAfter?: () => string): ChaosFault {
  const body = JSON.stringify({ error: status * 100, message: 'No.' });
  const handle = ({ respond }: ReceivedRequest) =>
    respond(status, body, retryAfter && { 'retry-after': retryAfter() });
  return { listener: 'service', end: 'reply', status, handle, ...(retryAfter && { retryAfterMs }) };
}

/** Responds with something that the API does not define. */
function page(status: number, text: string, stores = false): ChaosFault {
  const handle = ({ respond, store }: ReceivedRequest) => {
    if (stores) store();
    respond(status, text, { 'content-type': text === html ? 'text/html' : 'application/json' });
  };
  return { listener: 'service', end: 'page', status, handle };
}

/** Everything that may happen to an attempt. */
export const faults = {
  success: { listener: 'service', end: 'reply', status: 200, handle: succeed },
  'connection refused': { listener: 'closed', end: 'refused' },
  'dropped after accept': { listener: 'dropping', end: 'broken' },
  'reset after accept': { listener: 'resetting', end: 'broken' },
  'dropped before storing': hangUp('end', false),
  'reset before storing': hangUp('reset', false),
  'dropped after storing': hangUp('end', true),
  'reset after storing': hangUp('reset', true),
  'dropped in the head': hangUp('end', true, 30),
  'reset in the head': hangUp('reset', true, 30),
  'dropped in the body': hangUp('end', true, -10),
  'reset in the body': hangUp('reset', true, -10),
  slow: slow(4, 3),
  'too slow': slow(8, 80),
  'silence before storing': { listener: 'service', end: 'silence' },
  'silence after storing': { listener: 'service', end: 'silence', handle: ({ store }) => store() },
  '503': reject(503),
  '503, again immediately': reject(503, 0, () => '0'),
  '503, again in a second': reject(503, 1_000, () => '1'),
  '503, again at a time': reject(503, 0, () => new Date(Date.now() + 1_000).toUTCString()),
  '503, again much later': reject(503, 20_000, () => '20'),
  '429': reject(429),
  '429, again immediately': reject(429, 0, () => '0'),
  '500': reject(500),
  '401': reject(401),
  '400': reject(400),
  '502 page': page(502, html),
  '504 page': page(504, html, true),
  '200 page': page(200, html),
  'empty 200': page(200, '', true),
  'truncated JSON': page(200, '{"name":"Monst', true),
} satisfies Record<string, ChaosFault>;

type FaultName = keyof typeof faults;
export const faultNames = Object.keys(faults) as FaultName[];

/** The request header that names the fault of an attempt. */
export const faultHeader = 'x-fault';

/** What the server has recorded for one id: the bodies of its requests, how often it was stored, and the ids of replays. */
interface PlantRecord {
  readonly bodies: string[];
  stored: number;
  readonly replays: Set<string>;
}

/** Starts a service on loopback that stores plants, and injects into each request the fault that its header names. */
export async function startChaosServer() {
  const records = new Map<string, PlantRecord>();
  /** The record of an id, an empty one if it never arrived. */
  const recordOf = (id: string): PlantRecord => {
    const record = records.get(id) ?? { bodies: [], stored: 0, replays: new Set() };
    records.set(id, record);
    return record;
  };
  let requests = 0;
  const service = createHttpServer(async (request, response) => {
    // A client that hangs up while its request is being read is expected.
    const body = await readText(request).catch(() => undefined);
    if (body === undefined) return;
    const record = recordOf(/"id":(\d+)/.exec(body)?.[1] ?? '');
    record.bodies.push(body);
    const requestId = `request-${++requests}`;
    const fault: ChaosFault = faults[request.headers[faultHeader] as FaultName];
    fault.handle?.({
      requestId,
      socket: request.socket,
      store() {
        if (record.stored > 0) record.replays.add(requestId);
        else record.stored++;
        return record.replays.has(requestId);
      },
      respond: (status, text, headers) =>
        void response.writeHead(status, { 'x-request-id': requestId, ...headers }).end(text),
    });
  });
  const dropping = createTcpServer((socket) => void socket.on('error', () => undefined).destroy());
  const resetting = createTcpServer((socket) => void socket.on('error', () => undefined).resetAndDestroy());
  const closed = createTcpServer();
  const origins = {
    service: await listenOnFreePort(service),
    dropping: await listenOnFreePort(dropping),
    resetting: await listenOnFreePort(resetting),
    closed: await listenOnFreePort(closed),
  };
  await close(closed);
  return {
    /** The URL of each listener. */
    origins,
    recordOf,
    async close() {
      const ends = [service, dropping, resetting].map(close);
      service.closeAllConnections();
      await Promise.all(ends);
    },
  };
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  await closed;
}
