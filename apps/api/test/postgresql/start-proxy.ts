import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to a server that can be broken. */
export interface TestProxy {
  readonly port: number;
  /** From now on nothing gets through, and nobody is told. */
  freeze(): void;
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
    thaw() {
      frozen = false;
      for (const socket of sockets) socket.resume();
    },
    cut,
    stop() {
      server.close();
      cut();
    },
  };
}
