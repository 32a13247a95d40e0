import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, createServer as createVite } from 'vite';
import { afterEach, expect, it, vi } from 'vitest';
import { findAcceptedToken, printPageAddress } from './page-address.js';

const cleanUps: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

/** The path of a file for a token, in a folder of its own. */
function createTokenFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-web-'));
  cleanUps.push(() => rmSync(folder, { recursive: true }));
  return join(folder, 'access-token');
}

/** A service that accepts one token; `asked` has the token of each request. */
async function startService(accepted: string) {
  const asked: (string | undefined)[] = [];
  const server = createServer(({ headers, method, url }, response) => {
    asked.push(headers.authorization);
    const isKnown = method === 'POST' && url === '/plants' && headers.authorization === `Bearer ${accepted}`;
    response.writeHead(isKnown ? 400 : 401).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUps.push(() => server.close());
  return { service: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

const signal = () => {
  const controller = new AbortController();
  cleanUps.push(() => controller.abort());
  return controller.signal;
};

it('waits for the file with the token', async () => {
  const { service } = await startService('pst_known');
  const tokenFile = createTokenFile();
  const found = findAcceptedToken({ service, tokenFile }, signal());
  writeFileSync(tokenFile, 'pst_known\n');
  expect(await found).toBe('pst_known');
});

it('waits for the token that replaces a rejected one, which it tries once', async () => {
  const { service, asked } = await startService('pst_new');
  const tokenFile = createTokenFile();
  writeFileSync(tokenFile, 'pst_old\n');
  const found = findAcceptedToken({ service, tokenFile }, signal());
  await vi.waitUntil(() => asked.length > 0, { timeout: 30_000 });
  // Time for several attempts, of which there must be none.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  writeFileSync(tokenFile, 'pst_new\n');
  expect(await found).toBe('pst_new');
  expect(asked).toEqual(['Bearer pst_old', 'Bearer pst_new']);
});

it('waits for the service', async () => {
  const closed = createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const { port } = closed.address() as AddressInfo;
  closed.close();
  await once(closed, 'close');
  const tokenFile = createTokenFile();
  writeFileSync(tokenFile, 'pst_known\n');
  const controller = new AbortController();
  const found = findAcceptedToken({ service: `http://127.0.0.1:${port}`, tokenFile }, controller.signal);
  const outcome = await Promise.race([found, new Promise((resolve) => setTimeout(resolve, 1_000, 'waits'))]);
  controller.abort();
  await expect(found).rejects.toThrow();
  expect(outcome).toBe('waits');
});

it('prints the address with the port that Vite listens on, again after a restart', async () => {
  const { service } = await startService('pst_known');
  const tokenFile = createTokenFile();
  writeFileSync(tokenFile, 'pst_known\n');
  const printed: string[] = [];
  const vite = await createVite({
    configFile: false,
    root: join(tokenFile, '..'),
    server: { host: '127.0.0.1', port: 0, ws: false },
    customLogger: { ...createLogger(), info: (text) => printed.push(text) },
    plugins: [printPageAddress({ service, tokenFile })],
  });
  cleanUps.push(() => vite.close());
  const untilPrinted = (times: number) =>
    vi.waitUntil(
      () =>
        printed.filter((text) => text.includes(`${vite.resolvedUrls?.local[0]}#token=pst_known`)).length >=
        times,
      { timeout: 30_000 },
    );
  await vite.listen();
  await untilPrinted(1);
  await vite.restart();
  await untilPrinted(2);
});
