import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import * as index from './index.js';

const root = new URL('../', import.meta.url);

/** What can be imported, and the packages that it loads. */
const modules = {
  '.': ['@ts-rest/core', 'zod'],
  './columns': [],
  './resource': [],
  './plants': [],
  './resources': [],
  './errors': [],
  './error-texts': [],
  './operations': [],
  './record-format': [],
  './routes': [],
  './request-target': [],
  './messages': [],
  './conditions': [],
  './ascii-number': [],
  './escape-invisible': [],
  './fold-text': [],
  './access-token': [],
  './exact-json/parse': [],
  './exact-json/stringify': [],
  './openapi': ['@ts-rest/core', 'zod', 'zod-openapi'],
} as const;

it.each(Object.entries(modules))('%s is built from its source, and loads %j', async (subpath, packages) => {
  const target = packageJson.exports[subpath as keyof typeof modules];
  const source = target['@plant-store/source'];
  const built = source.replace('./src/', './dist/').replace(/\.ts$/, '');
  expect([target.types, target.default]).toEqual([`${built}.d.ts`, `${built}.js`]);
  expect(await packagesLoadedBy(source)).toEqual(packages);
});

it('the README lists every entry', () => {
  const [, list = ''] = readFileSync(new URL('README.md', root), 'utf8').split('load zod and other packages');
  const [entries = ''] = list.split('\n## ');
  const listed = [...entries.matchAll(/`(\.|\/[a-z/-]+)`/g)].map(([, entry]) => entry);
  expect(listed.toSorted()).toEqual(
    Object.keys(modules)
      .map((name) => (name === '.' ? name : name.slice(1)))
      .toSorted(),
  );
});

it('exports these subpaths and names, and nothing else', () => {
  const files = ['openapi.json', 'package.json'] as const;
  expect(Object.keys(packageJson.exports)).toEqual([
    ...Object.keys(modules),
    ...files.map((file) => packageJson.exports[`./${file}`]),
  ]);
  expect(files.filter((file) => !existsSync(new URL(file, root)))).toEqual([]);
  const limits = 'INT64_MAX INT64_MIN MAX_RECORDS QUERY_MAX_LENGTHS';
  const schemas = 'Error Int64Parameter Int64 NewPlant Plant QueryTime Time';
  const others =
    'contract auditActions createIdentifiedSchema errors isInt64 jsonShapeOf routes schemasOf subjectOfOperation';
  const names = `${limits} ${schemas.replaceAll(/\w+/g, '$&Schema')} ${others}`.split(' ');
  expect(Object.keys(index).sort()).toEqual(names.sort());
});

/** The packages that a source file imports at run time, itself or through the files that it imports. */
async function packagesLoadedBy(source: string): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: fileURLToPath(root),
    entryPoints: [source],
    bundle: true,
    format: 'esm',
    packages: 'external',
    metafile: true,
    write: false,
  });
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
  return [...new Set(imports.filter(({ external }) => external).map(({ path }) => path))].sort();
}
