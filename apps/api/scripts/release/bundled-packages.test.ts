import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import Database from 'better-sqlite3';
import { beforeAll, expect, it } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.js';
import { bundle } from '../bundle.js';
import { type BundledPackage, listBundledPackages, toKey } from './bundled-packages.js';
import { createSbom } from './create-sbom.js';
import { renderLicenses } from './license-texts.js';

let packages: readonly BundledPackage[];
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-bundle-'));
  try {
    packages = listBundledPackages(await bundle(folder, { sourcemap: false }));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

const identity = { name: 'plant-store', version: '1.2.3', commit: 'a1b2c3' };

it('lists the packages with code in the bundle, those beside it, and no others', () => {
  const names = packages.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(['express', 'pg', 'zod', 'better-sqlite3', 'swagger-ui-dist']),
  );
  expect(
    names.filter((name) => /^(esbuild|vitest|typescript|@types\/.*|@plant-store\/.*)$/.test(name)),
  ).toEqual([]);
  expect(new Set(packages.map(toKey)).size).toBe(packages.length);
});

it('finds the license text of every package, including one that has it in its README only', () => {
  const text = renderLicenses(packages);
  for (const bundled of packages) expect(text).toContain(`\n${toKey(bundled)}, license `);
  expect(text).toMatch(
    /\npgpass@.*\n=+\n\nCopyright \(c\) 2013-2016 Hannes Hörl\n\nPermission is hereby granted/,
  );
});

it('has a license text for everything in the bill of materials, so the blessing of SQLite, too', () => {
  const text = renderLicenses(packages);
  const { components } = JSON.parse(createSbom(identity, packages)) as {
    components: { 'bom-ref': string }[];
  };
  const keys = components.map((component) => component['bom-ref']);
  expect(keys.filter((key) => !text.includes(`\n${key}, license `))).toEqual([]);
  expect(text).toMatch(
    /\nsqlite@[\d.]+, license blessing\n=+\n\nThe author disclaims copyright [^*]*\n {3}May you share freely, never taking more than you give\.\n$/,
  );
});

it('has only packages whose licenses let anybody use and pass on the release', () => {
  const permissive = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'ISC', 'MIT'];
  expect(packages.filter(({ license }) => !permissive.includes(license))).toEqual([]);
});

it('rejects a package without a license text', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'README.md'), '# Some package\n\n## License\n\nMIT\n\n## Other\n');
  const unlicensed = { name: 'some-package', version: '1.0.0', license: 'MIT', folder, imports: [] };
  expect(() => renderLicenses([...packages, unlicensed])).toThrow(
    'These packages are in the bundle, but have no license text: some-package@1.0.0.',
  );
});

it('rejects a package that does not declare a license', async () => {
  const folder = join(temporaryFolder(), 'node_modules/some-package');
  const metafile = {
    inputs: {},
    outputs: { 'main.js': { inputs: { [`${folder}/index.js`]: { bytesInOutput: 1 } } } },
  };
  expect(() => listBundledPackages(metafile as never)).toThrow('some-package');
});

it('writes a bill of materials that is valid by the schema of CycloneDX', async () => {
  const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
  const sbom = createSbom(identity, packages);
  expect(await validator.validate(sbom)).toBeNull();
  expect(await validator.validate(sbom.replace('"library"', '"unknown"'))).not.toBeNull();
});

it('names every package in the bill of materials, with its version, license, archive and imports', () => {
  const { metadata, components, dependencies } = JSON.parse(createSbom(identity, packages)) as {
    metadata: { component: object };
    components: { 'bom-ref': string }[];
    dependencies: { ref: string; dependsOn?: string[] }[];
  };
  expect(metadata.component).toMatchObject({ name: 'plant-store', version: '1.2.3' });
  const sqlite = new Database(':memory:').prepare('SELECT sqlite_version()').pluck().get();
  expect(components.map((component) => component['bom-ref']).toSorted()).toEqual(
    [...packages.map(toKey), `sqlite@${sqlite}`].toSorted(),
  );
  const zod = packages.find(({ name }) => name === 'zod');
  expect(components.find((component) => component['bom-ref'] === `zod@${zod?.version}`)).toMatchObject({
    purl: `pkg:npm/zod@${zod?.version}`,
    licenses: [{ license: { id: 'MIT' } }],
    externalReferences: [
      {
        type: 'distribution',
        hashes: [{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }],
      },
    ],
  });
  const importsOf = (name: string) =>
    dependencies
      .find(({ ref }) => ref.startsWith(`${name}@`))
      ?.dependsOn?.map((ref) => ref.replace(/@[^@]+$/, ''));
  expect(importsOf('@prisma/adapter-better-sqlite3')).toContain('better-sqlite3');
  expect(importsOf('better-sqlite3')).toEqual(['sqlite']);
  expect(importsOf('express')).toContain('router');
});

it('knows the archive of every package by its hash in the lock file', () => {
  const { components } = JSON.parse(createSbom(identity, packages)) as {
    components: { purl: string; externalReferences?: { hashes?: object[] }[] }[];
  };
  const unknown = components.filter(
    ({ externalReferences }) => externalReferences?.[0]?.hashes === undefined,
  );
  expect(unknown.map(({ purl }) => purl)).toEqual([expect.stringMatching(/^pkg:generic\/sqlite@/)]);
});
