import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { JSDOM } from 'jsdom';
import { expect, it, onTestFinished, vi } from 'vitest';
import { findExample } from './support/example.ts';
import { run, until } from './support/process.ts';
import { createTemporaryFolder, startService } from './support/service.ts';

const { folder, command, path } = findExample('browser-form');

it('is bundled by the command of its README with nothing but the client, stores what is filled in, and shows why not', async () => {
  const service = await startService();
  const out = await createTemporaryFolder();
  const [bundle, metafile] = [join(out, 'form.mjs'), join(out, 'meta.json')];
  const documented = command.replace('--outfile=form.js', `--outfile=${bundle} --metafile=${metafile}`);
  expect(await run(['sh', '-c', documented], { folder, environment: path })).toMatchObject({ status: 0 });
  const inputs = Object.keys(JSON.parse(await readFile(metafile, 'utf8')).inputs);
  expect(inputs.length).toBeGreaterThan(1);
  const isExpected = /(^form\.ts|@plant-store\/client\/dist\/(?!testing).*)$/;
  expect(inputs.filter((input) => !isExpected.test(input))).toEqual([]);
  const script = await readFile(bundle, 'utf8');
  expect(script).toContain('http://127.0.0.1:3000');
  await writeFile(bundle, script.replace('http://127.0.0.1:3000', service.baseUrl));

  const html = await readFile(join(folder, 'index.html'), 'utf8');
  const { window } = new JSDOM(html, { url: 'http://localhost:8080' });
  vi.stubGlobal('document', window.document);
  vi.stubGlobal('FormData', window.FormData);
  onTestFinished(() => void vi.unstubAllGlobals());
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
  expect(await submit({ name: 'Fern' })).toContain('already exists with different values');
  expect(await submit({ token: 'pst_wrong' })).toContain('token');
  expect(await service.readPlants()).toEqual(['{"id":9223372036854775807,"name":"Rose","tag":"climbing"}']);
});
