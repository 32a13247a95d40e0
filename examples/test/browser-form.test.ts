import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { findExample } from './support/example.ts';
import { run } from './support/process.ts';
import { createTemporaryFolder } from './support/service.ts';

const { folder, command, path } = findExample('browser-form');

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
