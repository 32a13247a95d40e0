import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.js';
import { writePage } from '../page/write-page.js';
import { listPagePackages } from './page-packages.js';

let folder = '';
beforeEach(() => {
  folder = temporaryFolder();
});

function write(path: string, content: string | object): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content));
}

/** Writes an installed package, and returns the path of a module in it. */
function install(name: string, manifest: object = {}): string {
  write(`node_modules/${name}/package.json`, { name, version: '1.2.3', license: 'MIT', ...manifest });
  return `../node_modules/${name}/index.js`;
}

/** Writes a script of the page with its map. */
function writeScript(name: string, sources: readonly string[]): void {
  write(`dist/assets/${name}`, '');
  write(`dist/assets/${name}.map`, { sources: sources.map((path) => `../${path}`) });
}

/** Writes a built page with a script of these modules. */
function build(...sources: readonly string[]): void {
  write('dist/index.html', '<script type="module" src="/assets/index-BjGIhLHV.js"></script>');
  writeScript('index-BjGIhLHV.js', sources);
}

/** Lists the packages of the files that a release has. */
function listReleased() {
  const source = join(folder, 'dist');
  const page = join(temporaryFolder(), 'page');
  writePage(source, page);
  return listPagePackages(source, page);
}

it('lists the packages of which a script has code, with those that they import', () => {
  const view = install('@vendor/view', { dependencies: { timer: '^1', unused: '^1' } });
  install('unused');
  build(install('timer'), view, '../src/main.tsx', '../rolldown/runtime.js');
  expect(listReleased()).toEqual([
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

it('rejects a script without a source map, whose packages nobody would know', () => {
  build();
  write('dist/worker.js', '');
  expect(listReleased).toThrow('worker.js.map');
});

it('counts nothing of a script that an earlier build has left beside the page', () => {
  build(install('view'));
  writeScript('index-C_NqZPfo.js', [install('removed')]);
  expect(listReleased().map(({ name }) => name)).toEqual(['view']);
});
