import { readFileSync } from 'node:fs';
import { Enums, Models, Serialize, SPDX, Spec } from '@cyclonedx/cyclonedx-library';
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
  const application = new Models.Component(Enums.ComponentType.Application, release.name, {
    version: release.version,
    bomRef: release.name,
    purl: `pkg:generic/${release.name}@${release.version}`,
    licenses: new Models.LicenseRepository([toLicense('MIT')]),
    properties: new Models.PropertyRepository([new Models.Property('plant-store:commit', release.commit)]),
  });
  const integrities = readIntegrities();
  const components = new Map(packages.map((bundled) => [toKey(bundled), toComponent(bundled, integrities)]));
  const refOf = (key: string) => {
    const component = components.get(key);
    if (component === undefined) throw new Error(`${key} is imported but not in the list of packages.`);
    return component.bomRef;
  };
  const imported = new Set(packages.flatMap(({ imports }) => imports));
  for (const bundled of packages) {
    const key = toKey(bundled);
    const component = components.get(key);
    for (const other of bundled.imports) component?.dependencies.add(refOf(other));
    if (!imported.has(key)) application.dependencies.add(refOf(key));
  }
  const sqlite = createSqliteComponent();
  for (const bundled of packages) {
    if (bundled.name === 'better-sqlite3') components.get(toKey(bundled))?.dependencies.add(sqlite.bomRef);
  }
  const bom = new Models.Bom({
    metadata: new Models.Metadata({ component: application }),
    components: new Models.ComponentRepository([...components.values(), sqlite]),
  });
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6));
  return `${serializer.serialize(bom, { sortLists: true, space: 2 })}\n`;
}

function toComponent(bundled: BundledPackage, integrities: ReadonlyMap<string, string>): Models.Component {
  const { name, version, license } = bundled;
  const [, group, baseName = name] = /^(@[^/]+)\/(.+)$/.exec(name) ?? [];
  const integrity = integrities.get(toKey(bundled));
  const archive = new Models.ExternalReference(
    `https://registry.npmjs.org/${name}/-/${baseName}-${version}.tgz`,
    Enums.ExternalReferenceType.Distribution,
  );
  if (integrity !== undefined) archive.hashes.set(Enums.HashAlgorithm['SHA-512'], integrity);
  return new Models.Component(Enums.ComponentType.Library, baseName, {
    ...(group === undefined ? {} : { group }),
    version,
    bomRef: toKey(bundled),
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    licenses: new Models.LicenseRepository([toLicense(license)]),
    externalReferences: new Models.ExternalReferenceRepository([archive]),
  });
}

function createSqliteComponent(): Models.Component {
  const { name, version, license } = readBundledSqlite();
  return new Models.Component(Enums.ComponentType.Library, name, {
    version,
    bomRef: toKey({ name, version }),
    purl: `pkg:generic/sqlite@${version}`,
    cpe: `cpe:2.3:a:sqlite:sqlite:${version}:*:*:*:*:*:*:*`,
    licenses: new Models.LicenseRepository([toLicense(license)]),
  });
}

function toLicense(license: string): Models.License {
  return SPDX.isSupportedSpdxId(license)
    ? new Models.SpdxLicense(license)
    : new Models.LicenseExpression(license);
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
