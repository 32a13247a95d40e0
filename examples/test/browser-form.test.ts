import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { JSDOM } from 'jsdom';
import { afterEach, expect, it, vi } from 'vitest';
import { findExample } from './support/example.ts';
import { run } from './support/process.ts';
import { createTemporaryFolder, startService } from './support/service.ts';
import { until } from './support/until.ts';

const { folder, command, path } = findExample('browser-form');

afterEach(() => vi.unstubAllGlobals());

it('can be bundled for its page by the command of its README', async () => {
  const outfile = join(await createTemporaryFolder(), 'form.js');
  const documented = command.replace('--outfile=form.js', `--outfile=${outfile}`);
  expect(await run(['sh', '-c', documented], { folder, environment: path })).toMatchObject({ status: 0 });
  expect(await readFile(outfile, 'utf8')).toContain('createClient');
});

it('includes nothing but the client', async () => {
  const { metafile } = await build({
    entryPoints: [join(folder, 'form.ts')],
    bundle: true,
    format: 'esm',
    metafile: true,
    write: false,
  });
  const inputs = Object.keys(metafile.inputs).filter((input) => !input.endsWith('form.ts'));
  expect(inputs.length).toBeGreaterThan(0);
  expect(inputs.filter((input) => !/@plant-store\/client\/dist\/(?!testing)/.test(input))).toEqual([]);
});

it('has the fields in its page that its script reads', async () => {
  const page = await readFile(join(folder, 'index.html'), 'utf8');
  const script = await readFile(join(folder, 'form.ts'), 'utf8');
  const fields = [...page.matchAll(/<input name="(\w+)"/g)].map(([, name]) => name);
  const read = new Set([...script.matchAll(/field\('(\w+)'\)/g)].map(([, name]) => name));
  expect(fields.sort()).toEqual([...read].sort());
});

it('stores what is filled in, and shows why a plant is rejected', async () => {
  const origin = 'http://localhost:8080';
  const service = await startService({ CORS_ORIGINS: origin });
  const bundle = join(await createTemporaryFolder(), 'form.mjs');
  const documented = command.replace('--outfile=form.js', `--outfile=${bundle}`);
  expect(await run(['sh', '-c', documented], { folder, environment: path })).toMatchObject({ status: 0 });
  const script = await readFile(bundle, 'utf8');
  expect(script).toContain('http://127.0.0.1:3000');
  await writeFile(bundle, script.replace('http://127.0.0.1:3000', service.baseUrl));

  const { window } = new JSDOM(await readFile(join(folder, 'index.html'), 'utf8'), { url: origin });
  vi.stubGlobal('document', window.document);
  vi.stubGlobal('FormData', window.FormData);
  vi.stubGlobal('fetch', fetchFrom(origin, fetch));
  await import(pathToFileURL(bundle).href);

  const [form] = window.document.forms;
  const submit = async (fields: Readonly<Record<string, string>>) => {
    for (const [name, value] of Object.entries(fields)) {
      const input = form?.querySelector<HTMLInputElement>(`[name=${name}]`);
      if (input) input.value = value;
    }
    form?.requestSubmit();
    await until(() => form?.querySelector('button')?.disabled === false);
    return form?.querySelector('output')?.value;
  };
  const plant = { id: '9223372036854775807', name: 'Rose', tag: 'climbing', token: service.token };
  expect(await submit(plant)).toBe('Rose is stored.');
  expect(await submit(plant)).toBe('Rose was stored before.');
  expect(await submit({ name: 'Fern' })).toContain('belongs to another plant');
  expect(await submit({ token: 'pst_wrong' })).toContain('token');
  expect(await service.readPlants()).toEqual(['{"id":9223372036854775807,"name":"Rose","tag":"climbing"}']);
});

/** A `fetch` that sends the origin, and rejects a reply that a browser would not show to a page of it. */
function fetchFrom(origin: string, send: typeof fetch): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    request.headers.set('Origin', origin);
    const response = await send(request);
    if (response.headers.get('Access-Control-Allow-Origin') === origin) return response;
    throw new TypeError('The reply may not be shown to this origin.');
  };
}
