import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type Server } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { type ChaosFault, faults } from './faults.js';
import { listenOnFreePort } from './listen.js';

/** The request header that names the fault of an attempt. */
export const faultHeader = 'x-fault';

/** What the server has recorded for one id. */
export interface PlantRecord {
  /** The bodies of its requests. */
  readonly bodies: string[];
  /** How often it was stored, replays excluded. */
  stored: number;
  /** The request ids of the replies that reported it as already stored. */
  readonly replays: Set<string>;
}

export interface ChaosServer {
  /** The URL of each listener. */
  readonly origins: Readonly<Record<ChaosFault['listener'], string>>;
  /** The record of an id, an empty one if it never arrived. */
  recordOf(id: string): PlantRecord;
  close(): Promise<void>;
}

/** Starts a service on loopback that stores plants, and injects into each request the fault that its header names. */
export async function startChaosServer(): Promise<ChaosServer> {
  const records = new Map<string, PlantRecord>();
  const recordOf = (id: string): PlantRecord => {
    const record = records.get(id) ?? { bodies: [], stored: 0, replays: new Set() };
    records.set(id, record);
    return record;
  };
  let requests = 0;
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await readText(request);
    const record = recordOf(/"id":(\d+)/.exec(body)?.[1] ?? '');
    record.bodies.push(body);
    const requestId = `request-${++requests}`;
    findFault(request.headers[faultHeader])?.handle?.({
      requestId,
      socket: request.socket,
      store() {
        const replayed = record.stored > 0;
        if (replayed) record.replays.add(requestId);
        else record.stored++;
        return { text: JSON.stringify({ name: 'Monstera deliciosa' }), replayed };
      },
      respond: (status, text, headers) =>
        void response.writeHead(status, { 'x-request-id': requestId, ...headers }).end(text),
    });
  };
  const service = createHttpServer((request, response) => {
    // A client that hangs up while its request is being read is expected.
    serve(request, response).catch(() => response.destroy());
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
    origins,
    recordOf,
    async close() {
      const ends = [service, dropping, resetting].map(close);
      service.closeAllConnections();
      await Promise.all(ends);
    },
  };
}

function findFault(name: string | string[] | undefined): ChaosFault | undefined {
  return Object.entries<ChaosFault>(faults).find(([key]) => key === name)?.[1];
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  await closed;
}
