import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { acceptConnections, type ConnectionReceiver } from './accept-connections.js';

/** A worker that records the ports of the clients whose connections it gets. */
function createReceiver(): ConnectionReceiver & { readonly clients: (number | undefined)[] } {
  const clients: (number | undefined)[] = [];
  return {
    clients,
    passConnection(socket) {
      clients.push(socket.remotePort);
      onTestFinished(() => void socket.destroy());
    },
  };
}

/** Accepts connections for the workers, which may change, on a free port. */
async function listenFor(workers: readonly ConnectionReceiver[]) {
  const connections = acceptConnections(() => workers);
  await once(connections.server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => connections.stop());
  const { port } = connections.server.address() as AddressInfo;
  async function open(): Promise<Socket> {
    const client = connect(port, '127.0.0.1');
    onTestFinished(() => void client.destroy());
    await once(client, 'connect');
    return client;
  }
  return { connections, open };
}

it('passes connections to the workers in turn', async () => {
  const workers = [createReceiver(), createReceiver(), createReceiver()];
  const { open } = await listenFor(workers);
  for (let count = 0; count < 9; count++) await open();
  await vi.waitFor(() => expect(workers.map(({ clients }) => clients.length)).toEqual([3, 3, 3]));
});

it('leaves what a client has sent to the worker', async () => {
  const { promise: passed, resolve } = Promise.withResolvers<Socket>();
  const { open } = await listenFor([{ passConnection: resolve }]);
  (await open()).write('POST');
  const socket = await passed;
  await new Promise((done) => setTimeout(done, 50));
  expect(socket.bytesRead).toBe(0);
  socket.destroy();
});

it('lets connections wait while no worker serves, in their order', async () => {
  const workers: ConnectionReceiver[] = [];
  const { connections, open } = await listenFor(workers);
  const clients = [await open(), await open()];
  await vi.waitFor(() => expect(connections.waiting()).toBe(2));
  const worker = createReceiver();
  workers.push(worker);
  connections.passWaiting();
  expect(worker.clients).toEqual(clients.map(({ localPort }) => localPort));
  expect(connections.waiting()).toBe(0);
});

it('passes a connection that an ended worker did not get to another one', async () => {
  const { promise: passed, resolve } = Promise.withResolvers<Socket>();
  const worker = createReceiver();
  const { connections, open } = await listenFor([{ passConnection: resolve }, worker]);
  const client = await open();
  connections.passAgain(await passed);
  await vi.waitFor(() => expect(worker.clients).toEqual([client.localPort]));
});

it('closes connections that wait when it stops, and accepts no more', async () => {
  const { connections, open } = await listenFor([]);
  const client = await open();
  await vi.waitFor(() => expect(connections.waiting()).toBe(1));
  connections.stop();
  await once(client, 'close');
  await expect(open()).rejects.toThrow('ECONNREFUSED');
});

it('closes a connection that is passed again after it has stopped', async () => {
  const { promise: passed, resolve } = Promise.withResolvers<Socket>();
  const workers: ConnectionReceiver[] = [{ passConnection: resolve }];
  const { connections, open } = await listenFor(workers);
  const client = await open();
  const socket = await passed;
  connections.stop();
  workers.pop();
  connections.passAgain(socket);
  await once(client, 'close');
});
