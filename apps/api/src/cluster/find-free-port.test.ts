import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { findFreePort } from './find-free-port.js';

it('finds a port that can be listened on', async () => {
  const port = await findFreePort('127.0.0.1', 0);
  const server = createServer().listen({ host: '127.0.0.1', port });
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  expect(server.address()).toMatchObject({ port });
  expect(port).toBeGreaterThan(0);
});

it('leaves a port that was chosen, and a host that cannot be listened on, to the workers', async () => {
  expect(await findFreePort('127.0.0.1', 1)).toBe(1);
  expect(await findFreePort('192.0.2.1', 0)).toBe(0);
});
