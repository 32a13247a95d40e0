import { expect, it, vi } from 'vitest';
import { createAdminServer, type ReadableMetrics } from '../../src/admin-port.js';
import { listen, silentLog } from '../support/open-app.js';
import { openConnection } from '../support/send-raw.js';
import { until } from '../support/until.js';

const documentedConnections = 64;
const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: plants.example\r\n\r\n`;

/** Starts an admin server without a service. */
async function start(metrics?: ReadableMetrics) {
  const readiness = async () => ({ ready: true, warnings: [] }) as const;
  const server = createAdminServer({ readiness, metrics, log: silentLog });
  return { server, adminUrl: await listen(server) };
}

it('closes a connection whose request or reply does not end, as documented', async () => {
  const { server } = await start();
  expect(server).toMatchObject({
    headersTimeout: 5_000,
    requestTimeout: 10_000,
    timeout: 10_000,
    connectionsCheckingInterval: 1_000,
  });
});

it.each(['', 'GET /livez HTTP/1.1\r\nHost:'])(
  'closes a connection with an unfinished request: %j',
  async (bytes) => {
    const { server, adminUrl } = await start();
    server.headersTimeout = 100;
    const connection = await openConnection(adminUrl);
    connection.write(bytes);
    expect(await connection.readToEnd()).toMatch(/^HTTP\/1\.1 408 /);
  },
);

it('closes a connection on which a request arrives before the reply to the one before', async () => {
  const collected = Promise.withResolvers<string>();
  const metrics = vi.fn<() => Promise<string>>(() => collected.promise);
  const { adminUrl } = await start({ contentType: 'text/plain', metrics });
  const connection = await openConnection(adminUrl);
  connection.write(request('/metrics').repeat(200));
  expect(await connection.readToEnd()).toBe('');
  expect(metrics).toHaveBeenCalledTimes(1);
  collected.resolve('metric 1\n');
});

it('serves one request after the other on a connection', async () => {
  const { adminUrl } = await start();
  const connection = await openConnection(adminUrl);
  for (let count = 0; count < 3; count++) {
    connection.write(request('/livez'));
    expect(await connection.readReply()).toMatchObject({ status: 200, body: { status: 'live' } });
  }
  connection.destroy();
});

it('collects the metrics once for all scrapes at the same time', async () => {
  const collected: (() => void)[] = [];
  const metrics = () =>
    new Promise<string>((resolve) => {
      const text = `metric ${collected.length}\n`;
      collected.push(() => resolve(text));
    });
  const { server, adminUrl } = await start({ contentType: 'text/plain', metrics });
  const scrape = async () => (await fetch(`${adminUrl}/metrics`)).text();
  let requests = 0;
  server.on('request', () => requests++);
  const scrapes = [scrape(), scrape(), scrape()];
  await until(() => requests === scrapes.length);
  collected[0]?.();
  expect(await Promise.all(scrapes)).toEqual(['metric 0\n', 'metric 0\n', 'metric 0\n']);
  const later = scrape();
  await until(() => collected.length === 2);
  collected[1]?.();
  expect(await later).toBe('metric 1\n');
});

it('closes connections beyond the documented number, and serves others once some have ended', async () => {
  const { server, adminUrl } = await start();
  // On a slow machine none ends before the others are open.
  Object.assign(server, { headersTimeout: 0, requestTimeout: 0, timeout: 0 });
  const open = await Promise.all(
    Array.from({ length: documentedConnections }, () => openConnection(adminUrl)),
  );
  const isLive = async () => {
    const reply = await fetch(`${adminUrl}/livez`).catch(() => undefined);
    return reply?.status === 200;
  };
  expect(await isLive()).toBe(false);
  open[0]?.destroy();
  await until(isLive);
  for (const connection of open) connection.destroy();
});
