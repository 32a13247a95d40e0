import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import contractPackage from '@plant-store/contract/package.json' with { type: 'json' };
import { describe, expect, it } from 'vitest';
import clientPackage from '../package.json' with { type: 'json' };
import * as client from './index.js';
import * as testing from './testing/index.js';

describe('@plant-store/client', () => {
  it('exports this and nothing else', () => {
    expect(Object.keys(client).sort()).toEqual([
      'NetworkError',
      'PlantStoreError',
      'TimeoutError',
      'UnexpectedResponseError',
      'createClient',
      'errors',
      'isNetworkError',
      'isPlantStoreError',
      'isTimeoutError',
      'isUnexpectedResponseError',
    ]);
  });

  it('includes only plain data of the contract, and nothing of any other package', () => {
    const { files, packages } = walkImports(new URL('index.ts', import.meta.url));
    expect(files.filter((file) => file.startsWith('../'))).toEqual([
      '../contract/src/errors/errors.ts',
      '../contract/src/exact-json/stringify.ts',
      '../contract/src/routes.ts',
    ]);
    expect(files).toContain('src/errors/network-error.ts');
    expect(files.filter((file) => file.startsWith('src/testing/'))).toEqual([]);
    expect(packages).toEqual([]);
  });

  it('would fail the check above if it included the schemas', () => {
    const { packages } = walkImports(new URL('../../contract/src/index.ts', import.meta.url));
    expect(packages).toEqual(['@ts-rest/core', 'zod']);
  });
});

describe('@plant-store/client/testing', () => {
  it('exports this and nothing else', () => {
    expect(Object.keys(testing)).toEqual(['createFakePlantStore']);
  });

  it('includes the schemas of the contract, and nothing that only Node.js has', () => {
    const { files, packages } = walkImports(new URL('testing/index.ts', import.meta.url));
    expect(files).toContain('../contract/src/plant.ts');
    expect(packages).toEqual(['@ts-rest/core', 'zod']);
  });
});

describe('the manifest', () => {
  it('requires no other package', () => {
    expect(clientPackage).not.toHaveProperty('dependencies');
    expect(clientPackage).not.toHaveProperty('peerDependencies');
  });

  it('publishes the exports without the sources, which only the workspace has', () => {
    const built = Object.entries(clientPackage.exports).map(([subpath, target]) => {
      if (typeof target === 'string') return [subpath, target];
      const { '@plant-store/source': source, ...published } = target;
      const file = source.replace('./src/', './dist/').replace(/\.ts$/, '');
      expect(published).toEqual({ types: `${file}.d.ts`, default: `${file}.js` });
      return [subpath, published];
    });
    expect(clientPackage.publishConfig.exports).toEqual(Object.fromEntries(built));
  });
});

/** Every file that a file imports at run time, directly or not, and every package outside this repository among them. */
function walkImports(entry: URL): { files: string[]; packages: string[] } {
  const files = new Set<string>();
  const packages = new Set<string>();
  const visit = (file: URL) => {
    if (files.has(file.href)) return;
    files.add(file.href);
    for (const specifier of listImports(readFileSync(file, 'utf8'))) {
      const source = findSource(specifier, file);
      if (source) visit(source);
      else packages.add(specifier);
    }
  };
  visit(entry);

  const root = fileURLToPath(new URL('..', import.meta.url));
  return {
    files: [...files].map((href) => relative(root, fileURLToPath(href))).sort(),
    packages: [...packages].sort(),
  };
}

/** What a source imports at run time: `import type` and `export type` are gone by then. */
function listImports(source: string): string[] {
  const statement = /^(?:import|export)\s(?!type\s)(?:[^'";]*\sfrom\s)?\s*['"]([^'"]+)['"]/gm;
  const call = /\bimport\(\s*['"]([^'"]+)['"]/g;
  return [...source.matchAll(statement), ...source.matchAll(call)].flatMap(
    ([, specifier]) => specifier ?? [],
  );
}

/** The source of a specifier, or nothing when it is a package outside this repository. */
function findSource(specifier: string, importer: URL): URL | undefined {
  if (specifier.startsWith('.')) return new URL(specifier.replace(/\.js$/, '.ts'), importer);
  for (const [subpath, target] of Object.entries(contractPackage.exports)) {
    if (typeof target === 'string' || specifier !== `@plant-store/contract${subpath.slice(1)}`) continue;
    return new URL(target['@plant-store/source'], new URL('../../contract/', import.meta.url));
  }
  return undefined;
}
