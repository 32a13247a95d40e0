import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createLogger, createServer } from 'vite';
import { expect, it, onTestFinished, vi } from 'vitest';
import { findAcceptedToken, printPageAddress } from './page-address.js';

const service = 'http://127.0.0.1:3000';

/** A service that is away for some requests and then accepts one token, and a folder for the file with it. */
function setUp(accepted: string, away = 0) {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-web-'));
  const asked: string[] = [];
  vi.stubGlobal('fetch', async (url: string, { method, headers }: { method: string; headers: object }) => {
    if (asked.push(`${method} ${url} ${new Headers({ ...headers }).get('authorization')}`) <= away)
      throw new TypeError('fetch failed');
    return new Response(null, { status: asked.at(-1)?.endsWith(`Bearer ${accepted}`) ? 400 : 401 });
  });
  onTestFinished(() => {
    vi.unstubAllGlobals();
    rmSync(folder, { recursive: true });
  });
  return { folder, tokenFile: join(folder, 'access-token'), asked };
}

it('waits for the file, the service, and the token that replaces a rejected one, which it tries once', async () => {
  const { tokenFile, asked } = setUp('pst_new', 2);
  const found = findAcceptedToken({ service, tokenFile }, new AbortController().signal);
  writeFileSync(tokenFile, 'pst_old\n');
  await vi.waitUntil(() => asked.length > 2, { timeout: 30_000 });
  // Time for several attempts, of which there must be none.
  await delay(600);
  writeFileSync(tokenFile, 'pst_new\n');
  expect(await found).toBe('pst_new');
  const sent = ['pst_old', 'pst_old', 'pst_old', 'pst_new'];
  expect(asked).toEqual(sent.map((token) => `POST ${service}/plants Bearer ${token}`));
});

it('prints the address with the port that Vite listens on, again after a restart', async () => {
  const { folder, tokenFile } = setUp('pst_known');
  writeFileSync(tokenFile, 'pst_known\n');
  const printed: string[] = [];
  const vite = await createServer({
    configFile: false,
    root: folder,
    server: { host: '127.0.0.1', port: 0, ws: false },
    customLogger: { ...createLogger(), info: (text) => printed.push(text) },
    plugins: [printPageAddress({ service, tokenFile })],
  });
  onTestFinished(() => vite.close());
  const untilPrinted = (times: number) => {
    const isAddress = (text: string) => text.includes(`${vite.resolvedUrls?.local[0]}#token=pst_known`);
    return vi.waitUntil(() => printed.filter(isAddress).length >= times, { timeout: 30_000 });
  };
  await vite.listen();
  await untilPrinted(1);
  await vite.restart();
  await untilPrinted(2);
});
