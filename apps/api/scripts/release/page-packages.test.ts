import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.js';
import { writePage } from '../page/write-page.js';
import { listPagePackages, mergePackages } from './page-packages.js';

/** Writes an installed package, and returns the path of a module in it. */
function install(folder: string, name: string, manifest: object = {}): string {
  const target = join(folder, 'node_modules', name);
  mkdirSync(target, { recursive: true });
  writeFileSync(
    join(target, 'package.json'),
    JSON.stringify({ name, version: '1.2.3', license: 'MIT', ...manifest }),
  );
  return `../node_modules/${name}/index.js`;
}

/** Writes a built page with a script of these modules. */
function build(folder: string, sources: readonly string[]): string {
  const dist = join(folder, 'dist');
  mkdirSync(join(dist, 'assets'), { recursive: true });
  writeFileSync(join(dist, 'index.html'), '<script type="module" src="/assets/index-BjGIhLHV.js"></script>');
  writeFileSync(join(dist, 'assets/index-BjGIhLHV.js'), '');
  writeMap(join(dist, 'assets/index-BjGIhLHV.js'), sources);
  return dist;
}

function writeMap(script: string, sources: readonly string[]): void {
  writeFileSync(`${script}.map`, JSON.stringify({ sources: sources.map((path) => `../${path}`) }));
}

/** Lists the packages of the files that a release has. */
function listReleased(source: string) {
  return listPagePackages(source, writePage(source, join(temporaryFolder(), 'page')));
}

it('lists the packages of which a script has code, with those that they import', () => {
  const folder = temporaryFolder();
  const view = install(folder, '@vendor/view', { dependencies: { timer: '^1', unused: '^1' } });
  const timer = install(folder, 'timer');
  install(folder, 'unused');
  const source = build(folder, [timer, view, '../src/main.tsx', '../rolldown/runtime.js']);
  expect(listReleased(source)).toEqual([
    {
      name: '@vendor/view',
      version: '1.2.3',
      license: 'MIT',
      folder: join(folder, 'node_modules/@vendor/view'),
      imports: ['timer@1.2.3'],
    },
    expect.objectContaining({ name: 'timer', imports: [] }),
  ]);
});

it('counts what a package takes from the page that has it', () => {
  const folder = temporaryFolder();
  const sources = [install(folder, 'dom', { peerDependencies: { view: '1' } }), install(folder, 'view')];
  expect(listReleased(build(folder, sources))[0]?.imports).toEqual(['view@1.2.3']);
});

it('rejects a script without a source map, whose packages nobody would know', () => {
  const source = build(temporaryFolder(), []);
  writeFileSync(join(source, 'worker.js'), '');
  expect(() => listReleased(source)).toThrow('worker.js.map');
});

it('counts nothing of a script that an earlier build has left beside the page', () => {
  const folder = temporaryFolder();
  const source = build(folder, [install(folder, 'view')]);
  const stale = join(source, 'assets/index-C_NqZPfo.js');
  writeFileSync(stale, '');
  writeMap(stale, [install(folder, 'removed')]);
  expect(listReleased(source).map(({ name }) => name)).toEqual(['view']);
});

it('has a package of two lists once, with what it imports in either', () => {
  const zod = { name: 'zod', version: '4.0.0', license: 'MIT', folder: '/zod', imports: ['a@1.0.0'] };
  const pg = { ...zod, name: 'pg', imports: [] };
  expect(mergePackages([[zod], [pg, { ...zod, imports: ['b@1.0.0', 'a@1.0.0'] }]])).toEqual([
    pg,
    { ...zod, imports: ['a@1.0.0', 'b@1.0.0'] },
  ]);
});
