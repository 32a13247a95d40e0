import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** A page with its own origin. */
export interface ServedPage {
  /** For example `http://127.0.0.1:5173`; another port is another origin. */
  readonly origin: string;
  stop(): void;
}

/**
 * Serves `page.html` on a free port, with its script and the client bundled into one ES module.
 *
 * @param script the file of the script, beside this one
 * @param scripts other scripts to serve, by path
 */
export async function servePage(
  script = 'page.ts',
  scripts: Readonly<Record<string, string>> = {},
): Promise<ServedPage> {
  const files: Record<string, readonly [type: string, content: string]> = {
    '/': ['text/html', readFileSync(new URL('page.html', import.meta.url), 'utf8')],
    '/page.js': ['text/javascript', await bundle(new URL(script, import.meta.url))],
  };
  for (const [path, content] of Object.entries(scripts)) files[path] = ['text/javascript', content];
  const server = createServer((request, response) => {
    const [type, content] = files[request.url ?? ''] ?? [];
    response.writeHead(content === undefined ? 404 : 200, { 'Content-Type': type ?? 'text/plain' });
    response.end(content);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function bundle(script: URL): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(script)],
    conditions: ['@plant-store/source'],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    write: false,
  });
  return outputFiles.map(({ text }) => text).join('\n');
}
