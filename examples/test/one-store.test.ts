import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findExample } from './support/example.ts';
import { post } from './support/post.ts';
import { run, start } from './support/process.ts';
import { createTemporaryFolder, startService } from './support/service.ts';

const overview = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');
/** The examples in the order of the table, with the thousand in which the ids of each begin. */
const rows = [...overview.matchAll(/^\| (?:(\d+)000s|none) \|(.*)\|$/gm)].flatMap(([, thousand, cell = '']) =>
  [...cell.matchAll(/\]\(([a-z-]+)\/README\.md\)/g)].map(([, name = '']) => ({ name, thousand })),
);

/** Examples that are services, with the path of a request and what they print first: their URL. */
const services: Readonly<Record<string, { readonly path: string; readonly url: RegExp }>> = {
  'node-service': { path: '', url: /http:\S+/ },
  nextjs: { path: '/plants', url: /(?<=Local: +)http:\S+/ },
  'react-vite': { path: '/plants', url: /(?<=Local: +)http:\S+(?=\/)/ },
  'cloudflare-worker': { path: '', url: /(?<=Ready on )http:\S+/ },
  opentelemetry: { path: '', url: /http:\S+/ },
};

it('has every example follow the others against one store, each as its README says', async () => {
  const service = await startService();
  const home = await createTemporaryFolder();
  const token = join(home, 'token');
  await writeFile(token, service.token);
  const stored: string[] = [];
  // The form needs a page, and has a test of its own.
  for (const { name, thousand } of rows.filter(({ name }) => name !== 'browser-form')) {
    const { folder, command, path } = findExample(name);
    const environment = {
      ...service.environment,
      ...path,
      PORT: '0',
      NODE_OPTIONS: '--no-warnings',
      NEXT_TELEMETRY_DISABLED: '1',
      WRANGLER_SEND_METRICS: 'false',
      HOME: home,
      CI: 'true',
      NO_COLOR: '1',
    };
    const documented = command
      .replace('PLANT_STORE_TOKEN_FILE=token', `PLANT_STORE_TOKEN_FILE=${token}`)
      .replace('wrangler dev', 'wrangler dev --port 0')
      .replace(/^vite$/, 'vite --port 0');
    const shell = ['sh', '-c', documented];
    const kind = services[name];
    if (kind) {
      const example = start(shell, { folder, environment });
      const [url] = await example.waitFor(kind.url);
      const [body = ''] =
        /\{ ?"(?:id|plant)":[^}]+\}/.exec(readFileSync(join(folder, 'README.md'), 'utf8')) ?? [];
      expect([name, ...(await post(url + kind.path, JSON.parse(body)))]).toMatchObject([name, 200, {}]);
      await example.end('SIGTERM');
    } else {
      expect([name, await run(shell, { folder, environment })]).toMatchObject([name, { status: 0 }]);
    }
    if (thousand) stored.push(thousand);
  }
  const thousands = (await service.readPlants()).map((line) =>
    String(Math.floor(Number(/"id":-?\d*?(\d{1,5}),/.exec(line)?.[1]) / 1000)),
  );
  expect(thousands).toEqual(expect.arrayContaining(stored));
  expect(stored).toHaveLength(10);
});
