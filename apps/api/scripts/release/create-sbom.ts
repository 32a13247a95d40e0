import { readFileSync } from 'node:fs';
import { type BundledPackage, toKey } from './bundled-packages.js';
import { readBundledSqlite } from './bundled-sqlite.js';
import { root } from './folders.js';

/** The release itself. */
export interface ReleaseIdentity {
  readonly name: string;
  readonly version: string;
  readonly commit: string;
}

/**
 * Lists what is inside a release, for scanners of vulnerabilities and licenses, as CycloneDX 1.6 JSON (ECMA-424). It has
 * neither a time nor a random serial number, so that the same release has the same bytes.
 */
export function createSbom(release: ReleaseIdentity, packages: readonly BundledPackage[]): string {
  const { name, version, commit } = release;
  const sqlite = readBundledSqlite();
  const integrities = readIntegrities();
  const imported = new Set(packages.flatMap(({ imports }) => imports));
  const bill = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        name,
        version,
        'bom-ref': name,
        licenses: [toLicense('MIT')],
        purl: `pkg:generic/${name}@${version}`,
        properties: [{ name: 'plant-store:commit', value: commit }],
      },
    },
    components: [
      ...packages.map((bundled) => toComponent(bundled, integrities.get(toKey(bundled)))),
      {
        type: 'library',
        name: sqlite.name,
        version: sqlite.version,
        'bom-ref': toKey(sqlite),
        licenses: [toLicense(sqlite.license)],
        cpe: `cpe:2.3:a:sqlite:sqlite:${sqlite.version}:*:*:*:*:*:*:*`,
        purl: `pkg:generic/sqlite@${sqlite.version}`,
      },
    ],
    dependencies: [
      { ref: name, dependsOn: packages.map(toKey).filter((key) => !imported.has(key)) },
      ...packages.map((bundled) => ({
        ref: toKey(bundled),
        dependsOn: bundled.name === 'better-sqlite3' ? [...bundled.imports, toKey(sqlite)] : bundled.imports,
      })),
    ],
  };
  return `${JSON.stringify(bill, undefined, 2)}\n`;
}

function toComponent({ name, version, license }: BundledPackage, integrity: string | undefined) {
  const [, group, baseName = name] = /^(@[^/]+)\/(.+)$/.exec(name) ?? [];
  const url = `https://registry.npmjs.org/${name}/-/${baseName}-${version}.tgz`;
  return {
    type: 'library',
    group,
    name: baseName,
    version,
    'bom-ref': toKey({ name, version }),
    licenses: [toLicense(license)],
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    externalReferences: [
      { type: 'distribution', url, hashes: integrity && [{ alg: 'SHA-512', content: integrity }] },
    ],
  };
}

/** A license by its SPDX identifier, or an expression of several. */
function toLicense(license: string): object {
  return /^[\w.+-]+$/.test(license) ? { license: { id: license } } : { expression: license };
}

/** The SHA-512 of the archive of each installed package in hexadecimal, by its `name@version`, as pnpm's lock file has it. */
function readIntegrities(): ReadonlyMap<string, string> {
  const lock = readFileSync(`${root}/pnpm-lock.yaml`, 'utf8');
  return new Map(
    [...lock.matchAll(/^ {2}'?([^\s']+)'?:\n {4}resolution: \{integrity: sha512-([\w+/=]+)/gm)].map(
      ([, key = '', hash = '']) => [key, Buffer.from(hash, 'base64').toString('hex')],
    ),
  );
}
