import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { findFreePort, portRange } from './find-free-port.js';

/** The ports that Linux assigns. */
const assigned = '/proc/sys/net/ipv4/ip_local_port_range';

it.runIf(existsSync(assigned))('finds a port that the system assigns to no other program', async () => {
  const [first = 0] = readFileSync(assigned, 'utf8').split('\t').map(Number);
  expect(portRange[1]).toBeLessThanOrEqual(first);
  const port = await findFreePort();
  expect(port).toBeGreaterThanOrEqual(portRange[0]);
  expect(port).toBeLessThan(portRange[1]);
});

it('finds a port on which nothing listens', async () => {
  const server = createServer();
  onTestFinished(() => void server.close());
  const port = await findFreePort();
  await once(server.listen(port, '127.0.0.1'), 'listening');
});

it('returns no port twice, because the caller may not be listening on it yet', async () => {
  const ports: number[] = [];
  while (ports.length < 1_000) ports.push(await findFreePort());
  expect(new Set(ports).size).toBe(ports.length);
});
