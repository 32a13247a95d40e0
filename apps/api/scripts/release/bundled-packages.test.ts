import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import Database from 'better-sqlite3';
import { beforeAll, expect, it } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.js';
import { bundle } from '../bundle.js';
import { type BundledPackage, listBundledPackages, toKey } from './bundled-packages.js';
import { createSbom } from './create-sbom.js';
import { renderLicenses } from './license-texts.js';

interface Sbom {
  readonly metadata: { readonly component: object };
  readonly components: readonly {
    readonly 'bom-ref': string;
    readonly purl: string;
    readonly externalReferences?: readonly { readonly hashes?: readonly object[] }[];
  }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

let packages: readonly BundledPackage[];
let sbom = '';
let bill: Sbom;
let licenses = '';
beforeAll(async () => {
  packages = listBundledPackages(await bundle(temporaryFolder(), { sourcemap: false }));
  sbom = createSbom({ name: 'plant-store', version: '1.2.3', commit: 'a1b2c3' }, packages);
  bill = JSON.parse(sbom);
  licenses = renderLicenses(packages);
});

it('lists the packages with code in the bundle, those beside it, and no others', () => {
  const names = packages.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(['express', 'pg', 'zod', 'better-sqlite3', 'swagger-ui-dist']),
  );
  const tools = /^(esbuild|vitest|typescript|@types\/.*|@plant-store\/.*)$/;
  expect(names.filter((name) => tools.test(name))).toEqual([]);
  expect(new Set(packages.map(toKey)).size).toBe(packages.length);
});

it('has the license text of all in the bill of materials, each once, one of a README and the blessing of SQLite, too', () => {
  const keys = bill.components.map((component) => component['bom-ref']);
  expect(keys.filter((key) => !licenses.includes(`\n${key}, license `))).toEqual([]);
  const texts = licenses.split(/^={80}\n(?:.+, license .+\n)+={80}\n/m);
  expect(new Set(texts).size).toBe(texts.length);
  expect(licenses).toMatch(
    /\npgpass@.*\n=+\n\nCopyright \(c\) 2013-2016 Hannes Hörl\n\nPermission is hereby granted/,
  );
  expect(licenses).toMatch(
    /\nsqlite@[\d.]+, license blessing\n=+\n\nThe author disclaims copyright [^*]*\n {3}May you share freely, never taking more than you give\.\n$/,
  );
});

it('has only packages whose licenses let anybody use and pass on the release', () => {
  const permissive = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'ISC', 'MIT'];
  expect(packages.filter(({ license }) => !permissive.includes(license))).toEqual([]);
});

it('rejects a package without a license text, or that declares no license', () => {
  const folder = join(temporaryFolder(), 'node_modules/some-package');
  const inputs = { [`${folder}/index.js`]: { bytesInOutput: 1 } };
  const metafile = { inputs: {}, outputs: { 'main.js': { inputs } } };
  expect(() => listBundledPackages(metafile as never)).toThrow('some-package');

  const unlicensed = { name: 'some-package', version: '1.0.0', license: 'MIT', imports: [] };
  const readme = temporaryFolder();
  writeFileSync(join(readme, 'README.md'), '# Some package\n\n## License\n\nMIT\n\n## Other\n');
  expect(() => renderLicenses([...packages, { ...unlicensed, folder: readme }])).toThrow(
    'These packages are in the bundle, but have no license text: some-package@1.0.0.',
  );
});

it('writes a bill of materials that is valid by the schema of CycloneDX', async () => {
  expect(await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(sbom)).toBeNull();
});

it('names every package in the bill of materials, with its version, license, archive and imports', () => {
  expect(bill.metadata.component).toMatchObject({ name: 'plant-store', version: '1.2.3' });
  const sqlite = new Database(':memory:').prepare('SELECT sqlite_version()').pluck().get();
  expect(bill.components.map((component) => component['bom-ref']).toSorted()).toEqual(
    [...packages.map(toKey), `sqlite@${sqlite}`].toSorted(),
  );
  const hashes = [{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }];
  expect(bill.components.find(({ purl }) => purl.startsWith('pkg:npm/zod@'))).toMatchObject({
    'bom-ref': toKey(packages.find(({ name }) => name === 'zod') ?? { name: '', version: '' }),
    licenses: [{ license: { id: 'MIT' } }],
    externalReferences: [{ type: 'distribution', hashes }],
  });
  // The lock file has the hash of every package from a registry.
  const unknown = bill.components.filter((component) => !component.externalReferences?.[0]?.hashes);
  expect(unknown.map(({ purl }) => purl)).toEqual([expect.stringMatching(/^pkg:generic\/sqlite@/)]);
  const refs = [...bill.components.map((component) => component['bom-ref']), 'plant-store'];
  const named = bill.dependencies.flatMap(({ ref, dependsOn = [] }) => [ref, ...dependsOn]);
  expect(named.filter((ref) => !refs.includes(ref))).toEqual([]);
  const importsOf = (name: string) =>
    bill.dependencies
      .find(({ ref }) => ref.startsWith(`${name}@`))
      ?.dependsOn?.map((ref) => ref.replace(/@[^@]+$/, ''));
  expect(importsOf('@prisma/adapter-better-sqlite3')).toContain('better-sqlite3');
  expect(importsOf('better-sqlite3')).toEqual(['sqlite']);
  expect(importsOf('express')).toContain('router');
});
