import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { openListeningSocket } from './listening-socket.js';

it('listens and accepts nothing: connections wait for a process that does', async () => {
  const { baseUrl, descriptor, close } = await openListeningSocket('127.0.0.1', 0);
  expect(descriptor).toBeGreaterThan(2);
  const { port } = new URL(baseUrl);
  const client = connect(Number(port), '127.0.0.1');
  await once(client, 'connect');
  // Mostly reset, with the socket that it waits for.
  client.on('error', () => undefined);
  const closed = new Promise((resolve) => client.once('close', resolve));
  await close();
  await closed;
  const second = await openListeningSocket('127.0.0.1', Number(port));
  expect(second.baseUrl).toBe(baseUrl);
  await second.close();
});

it('reports an address that cannot be listened on as a server does', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  await expect(openListeningSocket('127.0.0.1', port)).rejects.toThrow(
    `The port ${port} on 127.0.0.1 is taken.`,
  );
  server.close();
  await expect(openListeningSocket('192.0.2.1', 0)).rejects.toThrow('192.0.2.1 is not an address');
});
