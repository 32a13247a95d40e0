import { readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { listName } from '../../src/http/served-files.js';
import { type BundledPackage, readManifest, toKey, toPackageFolder } from './bundled-packages.js';

/**
 * Lists the packages with code in the web app, sorted by name. They come from the source maps that Vite writes, and from the fonts,
 * whose file names begin with the name of their package.
 *
 * @param source the folder that Vite has written
 * @param page the folder that `writePage` has written
 * @throws {Error} when a script has no source map, or a package does not declare its name, version and license
 */
export function listPagePackages(source: string, page: string): BundledPackage[] {
  const written: object = JSON.parse(readFileSync(join(page, listName), 'utf8'));
  const names = [...new Set(Object.keys(written).map((name) => name.replace(/\.(br|gz)$/, '')))];
  const scripts = names.filter((name) => name.endsWith('.js')).map((name) => join(source, name));
  const fonts = names
    .filter((name) => name.endsWith('.woff2'))
    .map((name) =>
      resolve(source, '../node_modules/@fontsource-variable', basename(name).replace(/-.*/, '')),
    );
  const ofScripts = scripts.flatMap(readSources).flatMap((path) => toPackageFolder(path) ?? []);
  const folders = new Set([...fonts, ...ofScripts]);
  const packages = [...folders].map((folder) => ({ ...readManifest(folder), folder }));
  const keys = new Map(packages.map((bundled) => [bundled.name, toKey(bundled)]));
  return packages
    .map(({ dependencies, ...bundled }) => ({
      ...bundled,
      imports: dependencies.flatMap((name) => keys.get(name) ?? []).toSorted(),
    }))
    .toSorted((a, b) => (toKey(a) < toKey(b) ? -1 : 1));
}

/** Merges lists of packages. Each package appears once, with its imports in all lists. */
export function mergePackages(lists: readonly (readonly BundledPackage[])[]): BundledPackage[] {
  const merged = new Map<string, BundledPackage>();
  for (const bundled of lists.flat()) {
    const { imports } = merged.get(toKey(bundled)) ?? { imports: [] };
    const union = [...new Set([...imports, ...bundled.imports])].toSorted();
    merged.set(toKey(bundled), { ...bundled, imports: union });
  }
  return [...merged.values()].toSorted((a, b) => (toKey(a) < toKey(b) ? -1 : 1));
}

/**
 * The absolute paths of the modules in a script. The bundler's loader, and a script that only re-exports another, have no modules and no
 * source map.
 */
function readSources(script: string): string[] {
  const isReexport = () => /^export\{[^}]*\}from"[^"]*";\s*$/.test(readFileSync(script, 'utf8'));
  if (basename(script).startsWith('rolldown-runtime-') || isReexport()) return [];
  const { sources } = JSON.parse(readFileSync(`${script}.map`, 'utf8')) as { readonly sources: string[] };
  return sources.map((path) => resolve(dirname(script), path));
}
