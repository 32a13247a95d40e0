import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { handleOrders } from '../examples/node-service.js';
import { createClientWithTokenFile } from '../examples/token-refresh.js';
import { createClient } from '../src/index.js';
import { createFakePlantStore, type Fault } from '../src/testing/index.js';
import { listen } from './listen.js';

const exampleFile = (name: string) => fileURLToPath(new URL(`../examples/${name}`, import.meta.url));

afterEach(() => vi.restoreAllMocks());

describe('node-service.ts', () => {
  const order = async (store: ReturnType<typeof createFakePlantStore>, body: unknown) => {
    const { baseUrl, token, fetch: storeFetch } = store;
    const client = createClient({ baseUrl, token, fetch: storeFetch, retries: 0 });
    const { url } = await listen(handleOrders(client));
    const response = await fetch(`${url}/orders`, { method: 'POST', body: JSON.stringify(body) });
    return [response.status, await response.json()];
  };

  it('stores the plant of an order exactly', async () => {
    const store = createFakePlantStore();
    const plant = '9223372036854775807';
    expect(await order(store, { plant, name: 'Rose' })).toEqual([200, { stored: plant, name: 'Rose' }]);
    expect(store.plants).toEqual(new Map([[9223372036854775807n, { name: 'Rose' }]]));
  });

  it('reports what is wrong with an order', async () => {
    const store = createFakePlantStore();
    await order(store, { plant: '1', name: 'Rose' });
    expect(await order(store, { plant: '1', name: 'Fern' })).toEqual([
      422,
      { message: 'The id 1 belongs to another plant. Choose another id.' },
    ]);
    expect(await order(store, { plant: 1, name: 'Rose' })).toMatchObject([400, {}]);
    expect(await order(store, undefined)).toEqual([400, { message: 'The order is not JSON.' }]);
  });

  it.each<Fault>([{ kind: 'drop' }, { kind: 'malformed', body: 'html' }, { kind: 'status', status: 503 }])(
    'responds with 502 and logs the error, for %j',
    async (fault) => {
      const log = vi.spyOn(console, 'error').mockReturnValue();
      const store = createFakePlantStore();
      store.fail(fault);
      expect(await order(store, { plant: '1', name: 'Rose' })).toMatchObject([502, {}]);
      expect(log).toHaveBeenCalledOnce();
    },
  );
});

describe('token-refresh.ts', () => {
  it('reads a new token from the file when the old one is rejected', async () => {
    const file = join(await makeFolder(), 'token');
    const { baseUrl, fetch, acceptTokens } = createFakePlantStore({ token: 'old' });
    await writeFile(file, 'old\n');
    const client = createClientWithTokenFile(file, { baseUrl, fetch });
    const create = async (id: number) => (await client.createPlant({ body: { id, name: 'Rose' } })).status;
    expect(await create(1)).toBe(200);
    await writeFile(file, 'new\n');
    expect(await create(2)).toBe(200);
    acceptTokens('new');
    expect(await create(3)).toBe(200);
    acceptTokens('newest');
    expect(await create(4)).toBe(401);
  });
});

describe('curl-equivalent.sh', () => {
  it('sends what the client sends', async () => {
    const requests: object[] = [];
    const { url: baseUrl } = await listen(async (request, response) => {
      const { accept, authorization, 'content-type': type } = request.headers;
      requests.push([request.method, request.url, accept, authorization, type, await text(request)]);
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"name":"Rose"}');
    });
    const body = '{"id":9223372036854775807,"name":"Rose"}';
    const { stdout } = await promisify(execFile)('sh', [exampleFile('curl-equivalent.sh'), body], {
      env: { ...process.env, PLANT_STORE_URL: baseUrl, PLANT_STORE_TOKEN: 'pst_example' },
    });
    expect(stdout).toBe('{"name":"Rose"}');

    const client = createClient({ baseUrl, token: 'pst_example' });
    await client.createPlant({ body: { id: 9223372036854775807n, name: 'Rose' } });
    expect(requests).toHaveLength(2);
    expect(requests[0]).toEqual(requests[1]);
  });
});

describe('browser-form', () => {
  it('can be bundled for its page, and includes no schema', async () => {
    const { outputFiles, metafile } = await build({
      entryPoints: [exampleFile('browser-form/form.ts')],
      conditions: ['@plant-store/source'],
      bundle: true,
      format: 'esm',
      platform: 'browser',
      metafile: true,
      write: false,
    });
    expect(outputFiles).toHaveLength(1);
    expect(Object.keys(metafile.inputs).filter((input) => input.includes('node_modules'))).toEqual([]);
  });

  it('has the fields in its page that its script reads', async () => {
    const page = await readFile(exampleFile('browser-form/index.html'), 'utf8');
    const script = await readFile(exampleFile('browser-form/form.ts'), 'utf8');
    const fields = [...page.matchAll(/<input name="(\w+)"/g)].map(([, name]) => name);
    const read = new Set([...script.matchAll(/field\('(\w+)'\)/g)].map(([, name]) => name));
    expect(fields.sort()).toEqual([...read].sort());
  });
});

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'plant-store-examples-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}
