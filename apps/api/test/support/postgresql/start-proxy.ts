import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy that can simulate network failures. */
export interface TestProxy {
  readonly port: number;
  /** Stops forwarding data, without closing connections. */
  freeze(): void;
  /** Stops forwarding the server's answers on each connection that sends a text, without closing it. */
  freezeAnswersTo(text: string): void;
  /** Forwards everything again, on existing and new connections. */
  thaw(): void;
  /** Closes all open connections. */
  cut(): void;
  /** Closes all connections and accepts no more. */
  stop(): void;
}

/** Starts a proxy in front of a local port. */
export async function startProxy(toPort: number): Promise<TestProxy> {
  const sockets = new Set<Socket>();
  let frozen = false;
  let unanswered: string | undefined;

  const server = createServer((client) => {
    const upstream = connect(toPort, '127.0.0.1');
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
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
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');

  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    freeze() {
      frozen = true;
      for (const socket of sockets) socket.pause();
    },
    freezeAnswersTo(text) {
      unanswered = text;
    },
    thaw() {
      frozen = false;
      unanswered = undefined;
      for (const socket of sockets) socket.resume();
    },
    cut,
    stop() {
      server.close();
      cut();
    },
  };
}
