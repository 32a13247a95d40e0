import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { type Fault, faults } from './faults.js';

/** The header in which an attempt says what it is to meet. */
export const faultHeader = 'x-fault';

/** A request that was read, and what can be done with it. */
export interface Visit {
  readonly requestId: string;
  readonly socket: Socket;
  /** Stores the plant, unless it is stored already; gives the body of the reply. */
  store(): { readonly text: string; readonly replayed: boolean };
  /** Replies whole, and keeps the connection open. */
  answer(status: number, body: string, headers?: Readonly<Record<string, string>>): void;
}

/** What the server knows of one id. */
export interface Visits {
  /** The bodies of the requests that came for it. */
  readonly bodies: string[];
  /** How often it was stored anew. */
  stored: number;
  /** The names of the replies that said it had been stored before. */
  readonly replays: Set<string>;
}

export interface ChaosServer {
  /** The address behind each door. */
  readonly origins: Readonly<Record<Fault['door'], string>>;
  /** What is known of an id; of one that never arrived, too. */
  visitsOf(id: string): Visits;
  close(): Promise<void>;
}

/** Starts a service on loopback that stores plants, and does to each request what that asks for. */
export async function startChaosServer(): Promise<ChaosServer> {
  const known = new Map<string, Visits>();
  const visitsOf = (id: string): Visits => {
    const visits = known.get(id) ?? { bodies: [], stored: 0, replays: new Set() };
    known.set(id, visits);
    return visits;
  };
  let requests = 0;
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await readText(request);
    const visits = visitsOf(/"id":(\d+)/.exec(body)?.[1] ?? '');
    visits.bodies.push(body);
    const requestId = `request-${++requests}`;
    findFault(request.headers[faultHeader])?.meet?.({
      requestId,
      socket: request.socket,
      store() {
        const replayed = visits.stored > 0;
        if (replayed) visits.replays.add(requestId);
        else visits.stored++;
        return { text: JSON.stringify({ name: 'Monstera deliciosa' }), replayed };
      },
      answer: (status, text, headers) =>
        void response.writeHead(status, { 'x-request-id': requestId, ...headers }).end(text),
    });
  };
  const open = createHttpServer((request, response) => {
    // A client that hangs up while it is being read is part of the game.
    serve(request, response).catch(() => response.destroy());
  });
  const dropping = createTcpServer((socket) => void socket.on('error', () => undefined).destroy());
  const resetting = createTcpServer((socket) => void socket.on('error', () => undefined).resetAndDestroy());
  const closed = createTcpServer();
  const origins = {
    open: await listen(open),
    dropping: await listen(dropping),
    resetting: await listen(resetting),
    closed: await listen(closed),
  };
  await close(closed);
  return {
    origins,
    visitsOf,
    async close() {
      const ends = [open, dropping, resetting].map(close);
      open.closeAllConnections();
      await Promise.all(ends);
    },
  };
}

function findFault(name: string | string[] | undefined): Fault | undefined {
  return Object.entries<Fault>(faults).find(([key]) => key === name)?.[1];
}

async function listen(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  await closed;
}
