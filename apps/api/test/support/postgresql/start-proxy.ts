import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to a server that can be broken. */
export interface TestProxy {
  readonly port: number;
  /** From now on nothing gets through, and nobody is told. */
  freeze(): void;
  /** From now on each connection goes silent on the way back as soon as a text was sent on it; nobody is told. */
  freezeAnswersTo(text: string): void;
  /** Everything gets through again, on connections old and new. */
  thaw(): void;
  /** Cuts the connections that are open. */
  cut(): void;
  /** Cuts them and takes no more. */
  stop(): void;
}

/** Starts a way to a port of this machine. */
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
