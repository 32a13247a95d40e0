import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import type { Metafile } from 'esbuild';
import { packageFolder } from './folders.js';

/** A package of which the release has code. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** An SPDX license expression. */
  readonly license: string;
  /** The absolute path of the installed package. */
  readonly folder: string;
  /** The packages of the release that its code imports, by their `name@version`. */
  readonly imports: readonly string[];
}

/** Packages that the release has as files of their own: the driver adapter finds the one by name, the viewer in `dist/docs` is the other. */
const packagesAsFiles = ['better-sqlite3', 'swagger-ui-dist'] as const;

/**
 * Lists the packages with code in a bundle, and those beside it, in the order of their names.
 *
 * @param metafile what esbuild put into the bundle; what it left out does not count
 * @throws {Error} when a package does not declare its name, version and license
 */
export function listBundledPackages({ inputs, outputs }: Metafile): BundledPackage[] {
  const packages = new Map<string, Omit<BundledPackage, 'imports'> & { readonly imports: Set<string> }>();
  const add = (folder: string) => {
    const known = packages.get(folder);
    if (known !== undefined) return known;
    const { name, version, license } = readManifest(folder);
    const added = { name, version, license, folder, imports: new Set<string>() };
    packages.set(folder, added);
    return added;
  };
  const included = new Set(
    Object.values(outputs).flatMap((output) =>
      Object.entries(output.inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
    ),
  );
  for (const name of packagesAsFiles) add(findInstalled(name));
  for (const path of included) {
    const folder = toPackageFolder(path);
    if (folder === undefined) continue;
    const { imports } = add(folder);
    for (const imported of inputs[path]?.imports ?? []) {
      const other = packagesAsFiles.find((name) => imported.external === true && imported.path === name);
      const target = other === undefined ? toPackageFolder(imported.path) : findInstalled(other);
      if (target !== undefined && target !== folder && (other || included.has(imported.path))) {
        imports.add(toKey(add(target)));
      }
    }
  }
  return [...packages.values()]
    .map(({ imports, ...rest }) => ({ ...rest, imports: [...imports].toSorted() }))
    .toSorted((a, b) => (toKey(a) < toKey(b) ? -1 : 1));
}

/** What a package is known by: two versions of one package are two. */
export function toKey({ name, version }: Pick<BundledPackage, 'name' | 'version'>): string {
  return `${name}@${version}`;
}

/** The folder of a package that the service depends on. */
export function findInstalled(name: string): string {
  return dirname(createRequire(`${packageFolder}/`).resolve(`${name}/package.json`));
}

/** The folder of the package that a module is from, whose path may be relative to this package; `undefined` for one of this repository. */
export function toPackageFolder(path: string): string | undefined {
  const [folder] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path) ?? [];
  return folder === undefined ? undefined : resolve(packageFolder, folder);
}

/** What a package declares, with the names of the packages that it depends on. */
export function readManifest(folder: string): Pick<BundledPackage, 'name' | 'version' | 'license'> & {
  readonly dependencies: readonly string[];
} {
  const manifest: Record<string, unknown> & { readonly dependencies?: object; peerDependencies?: object } =
    JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  const { name, version, license, dependencies, peerDependencies } = manifest;
  if (typeof name !== 'string' || typeof version !== 'string' || typeof license !== 'string') {
    throw new Error(`${folder}/package.json does not declare a name, a version and a license.`);
  }
  return { name, version, license, dependencies: Object.keys({ ...dependencies, ...peerDependencies }) };
}
