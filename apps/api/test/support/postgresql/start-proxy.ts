import { connect, createServer, type Socket } from 'node:net';
import { createDatabase } from '@plant-store/postgresql-server';
import { inject, onTestFinished } from 'vitest';
import { listen } from '../listen.js';
import type {} from './global-setup.js';

/** Creates a database, and a proxy in front of it for this test; returns its URI, direct and through the proxy. */
export async function createDatabaseBehindProxy() {
  const databaseUrl = await createDatabase(inject('postgresqlUrl'));
  const proxy = await startProxy(Number(new URL(databaseUrl).port));
  const proxiedUrl = Object.assign(new URL(databaseUrl), { port: proxy.port }).href;
  return { databaseUrl, proxiedUrl, proxy };
}

/** Returns the first message to forward, or handles the client without a server and returns `undefined`. */
export type OnFirst = (first: Buffer, client: Socket) => Buffer | undefined;

/** Starts a TCP proxy in front of a local port for this test, which can simulate network failures. */
export async function startProxy(toPort: number, onFirst?: OnFirst) {
  const sockets = new Set<Socket>();
  let frozen = false;
  let unanswered: string | undefined;
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };

  const server = createServer((client) => {
    if (onFirst === undefined) return void forward(client);
    sockets.add(client.on('error', () => undefined));
    client.once('data', (first: Buffer) => {
      const message = onFirst(first, client);
      if (message !== undefined) forward(client).write(message);
    });
  });

  function forward(client: Socket): Socket {
    const upstream = connect(toPort, '127.0.0.1');
    const directions = { there: [client, upstream], back: [upstream, client] } as const;
    for (const [from, to] of Object.values(directions)) {
      sockets.add(from);
      if (frozen) from.pause();
      from.on('data', (chunk) => to.write(chunk));
      from.on('error', () => undefined);
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
    client.prependListener('data', (chunk: Buffer) => {
      if (unanswered !== undefined && chunk.includes(unanswered)) upstream.pause();
    });
    if (frozen) for (const socket of [client, upstream]) socket.pause();
    return upstream;
  }
  const { port } = new URL(await listen(server));
  onTestFinished(cut);

  return {
    port,
    /** Stops forwarding data, without closing connections. */
    freeze() {
      frozen = true;
      for (const socket of sockets) socket.pause();
    },
    /** Stops forwarding the server's answers on each connection that sends a text, without closing it. */
    freezeAnswersTo(text: string) {
      unanswered = text;
    },
    /** Forwards everything again, on existing and new connections. */
    thaw() {
      frozen = false;
      unanswered = undefined;
      for (const socket of sockets) socket.resume();
    },
    /** Closes all open connections. */
    cut,
    /** Closes all connections and accepts no more. */
    stop() {
      server.close();
      cut();
    },
  };
}
