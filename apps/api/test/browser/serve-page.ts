import { createServer } from 'node:http';
import { build } from 'esbuild';
import type { Browser } from 'playwright-core';
import { listen } from '../support/listen.js';

/**
 * Opens an empty page of an origin of its own, and resolves once its script has run.
 *
 * @param script an ES module, which is bundled with what it imports
 * @param scripts other scripts to serve, by path
 */
export async function servePage(browser: Browser, script: string, scripts: Record<string, string> = {}) {
  const { outputFiles } = await build({
    stdin: { contents: `${script}\nglobalThis.isReady = true;`, resolveDir: import.meta.dirname },
    conditions: ['@plant-store/source'],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    write: false,
  });
  const files: Readonly<Record<string, readonly [type: string, content: string | undefined]>> = {
    '/': ['text/html', '<!doctype html><title>Empty</title><script type="module" src="/page.js"></script>'],
    '/page.js': ['text/javascript', outputFiles[0]?.text],
  };
  const server = createServer(({ url = '' }, response) => {
    const [type, content] = files[url] ?? ['text/javascript', scripts[url]];
    response.writeHead(content === undefined ? 404 : 200, { 'Content-Type': type }).end(content);
  });
  const origin = await listen(server);
  const page = await browser.newPage();
  await page.goto(origin);
  await page.waitForFunction(() => 'isReady' in globalThis);
  return { page, origin, stop: () => server.close().closeAllConnections() };
}
