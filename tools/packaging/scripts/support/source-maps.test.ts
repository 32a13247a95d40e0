import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { findMissingSources } from './source-maps.js';

/** Creates a package with one source map. */
function createPackage(map: object): string {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-package-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'dist'));
  writeFileSync(join(folder, 'dist/index.js'), '');
  writeFileSync(join(folder, 'dist/index.js.map'), JSON.stringify(map));
  return folder;
}

it('accepts sources that the source map or the package contains', () => {
  const folder = createPackage({ sources: ['../src/a.ts', 'index.js'], sourcesContent: ['export {};'] });
  expect(findMissingSources(folder)).toEqual([]);
});

it('reports sources that neither of them contains', () => {
  const folder = createPackage({
    sources: ['../src/a.ts', '../src/b.ts'],
    sourcesContent: ['export {};', null],
  });
  expect(findMissingSources(folder)).toEqual([`${join(folder, 'dist/index.js.map')}: ../src/b.ts`]);
});
