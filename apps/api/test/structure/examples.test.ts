import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { readPage, root } from '../support/read-markdown.js';

const manifests = globSync('examples/{package.json,*/package.json}', { cwd: root });

/** The dependencies of all examples, each as `[manifest, name, version]`. */
const dependencies = manifests.flatMap((manifest) => {
  const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(join(root, manifest), 'utf8'));
  return Object.entries<string>({ ...dependencies, ...devDependencies }).map(
    ([name, version]) => [manifest, name, version] as const,
  );
});

it('every example pins its dependencies exactly, and those of the catalog to the same version', () => {
  const { catalog } = parse(readPage('pnpm-workspace.yaml'));
  const others = dependencies.filter(([, name]) => !name.startsWith('@plant-store/'));
  expect(others.length).toBeGreaterThan(10);
  expect(others.filter(([, , version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  expect(others.filter(([, name, version]) => version !== (catalog[name] ?? version))).toEqual([]);
});

it('every example uses the packages of this repository', () => {
  const own = dependencies.filter(([, name]) => name.startsWith('@plant-store/'));
  expect(own.length).toBeGreaterThan(5);
  expect(own.filter(([, , version]) => !/^file:(\.\.\/)+packages\/\w+$/.test(version))).toEqual([]);
});

it('every example is listed, and has a README that shows its command in three lines', () => {
  const folders = globSync('examples/*/README.md', { cwd: root });
  expect(folders.length).toBeGreaterThan(8);
  const list = readPage('examples/README.md');
  expect(folders.filter((page) => !list.includes(`(${page.slice('examples/'.length)})`))).toEqual([]);
  const wrong = folders.filter((page) => !/^# .+\n\n.+\n\nRun: `.+`\n\n.+\n$/.test(readPage(page)));
  expect(wrong).toEqual([]);
});

it('every example and document has ids of its own, so that all can be followed against one store', () => {
  const rows = [...readPage('examples/README.md').matchAll(/^\| ([\d, s]+) \| (.+) \|$/gm)];
  const ranges = rows.map(([, ids = '']) => ids);
  expect(ranges.length).toBeGreaterThan(10);
  expect(new Set(ranges).size).toBe(ranges.length);
  const wrong = rows.flatMap(([, ids = '', links = '']) =>
    [...links.matchAll(/\(([^)]+\.md)\)/g)].flatMap(([, page = '']) => {
      const shown = listFiles(page).flatMap((file) => readIds(readPage(file)));
      const others = shown.filter((id) => !isListed(id, ids));
      return shown.length === 0 || others.length > 0 ? [`${page}: ${others}`] : [];
    }),
  );
  expect(wrong).toEqual([]);
});

it('the examples run on the Node.js of the repository', () => {
  const { nodeVersion } = parse(readPage('examples/pnpm-workspace.yaml'));
  expect(nodeVersion).toBe(parse(readPage('pnpm-workspace.yaml')).nodeVersion);
});

/** The files of an example, of which the list of examples links the README, or a document of another folder alone. */
function listFiles(page: string): string[] {
  if (page.startsWith('../')) return [page.slice(3)];
  const folder = join('examples', dirname(page));
  return globSync(`${folder}/**/*.{md,ts,tsx,sh,py,ndjson}`, {
    cwd: root,
    exclude: (path) => /node_modules|\.next/.test(path),
  });
}

/** The ids of plants in a text: values of `id` and `plant`, and arguments of the scripts. */
function readIds(text: string): bigint[] {
  return [...text.matchAll(/(?:\b(?:id|plant)\\?["']?: ?["']?|add.plant\.\w+ )(-?\d[\d_]*)/g)].map(
    ([, digits = '']) => BigInt(digits.replaceAll('_', '')),
  );
}

/** Whether ids as the list has them, `1, 5` or `2000s`, include one; a range has a second time beyond what a `number` holds. */
function isListed(id: bigint, ids: string): boolean {
  const first = /^(\d+)s$/.exec(ids)?.[1];
  if (first === undefined) return ids.split(', ').includes(String(id));
  const offset = ((id < 0n ? -id : id) % 9_000_000_000_000_000_000n) - BigInt(first);
  return offset >= 0n && offset < 1_000n;
}
