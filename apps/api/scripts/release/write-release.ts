import { copyFileSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bundle } from '../bundle.js';
import { pageSource } from '../page/write-page.js';
import { findInstalled, listBundledPackages } from './bundled-packages.js';
import { createSbom } from './create-sbom.js';
import { finish, listFiles, packageFolder, root, write } from './folders.js';
import { renderLicenses } from './license-texts.js';
import { listOperatorPages, readOperatorPage, renderReadme } from './operator-pages.js';
import { listPagePackages, mergePackages } from './page-packages.js';

/** How to write a release. */
export interface ReleaseOptions {
  /** The folder to write it in. */
  readonly parent: string;
  readonly commit: string;
  /** The time of all files and folders; the current time by default. */
  readonly time: Date | undefined;
}

/** The files to copy from each package that is not in the bundle. */
const packageFiles = {
  'better-sqlite3': [
    'package.json',
    'LICENSE',
    'lib/{index,binding,database,sqlite-error,util}.js',
    'lib/methods/*.js',
    // Servers run Linux. A release has the binaries of all its architectures.
    'prebuilds/linux*-*.node',
  ],
  // Its script and style sheet are in dist/docs.
  'swagger-ui-dist': ['package.json', 'LICENSE', 'NOTICE', 'swagger-ui-bundle.js.LICENSE.txt'],
} as const;

/**
 * Writes the folder `plant-store-<version>` with everything that a server needs except Node.js. It runs from any path, read-only. The
 * same sources, commit, and time give the same bytes.
 *
 * @returns the path of the folder, the number of its files and their size
 * @throws {Error} when a bundled package has no license text; an existing release of that version then stays unchanged
 */
export async function writeRelease({ parent, commit, time }: ReleaseOptions) {
  const { version, description, license, engines } = readJson(`${packageFolder}/package.json`);
  const identity = { name: 'plant-store', version: String(version), commit };
  const folder = join(parent, `plant-store-${version}`);
  // Renamed when it is complete, so that a failure leaves an existing release unchanged.
  const target = join(parent, '.writing');
  rmSync(target, { recursive: true, force: true });
  const service = listBundledPackages(await bundle(join(target, 'dist'), { sourcemap: false }));
  // The build has written the served files.
  copy(packageFolder, target, ['dist/{client,docs,page}/**/*.*']);
  const packages = mergePackages([service, listPagePackages(pageSource, join(target, 'dist/page'))]);
  write(join(target, 'THIRD_PARTY_LICENSES.txt'), renderLicenses(packages));
  write(join(target, 'sbom.cdx.json'), createSbom(identity, packages));
  copy(root, target, ['LICENSE']);
  // Images are built from a clone, so compose files are left out.
  copy(
    root,
    target,
    ['deploy/**/*.{cfg,conf,csv,json,md,service,sh,timer,toml,yml}', 'deploy/**/Caddyfile'],
    {
      exclude: ['deploy/compose/**'],
    },
  );
  copy(packageFolder, target, ['prisma/*/migrations/{released.sha256,*/migration.sql}']);
  for (const [name, files] of Object.entries(packageFiles)) {
    copy(findInstalled(name), join(target, 'node_modules', name), files);
  }
  const dependencies = readVersions(join(target, 'node_modules'));
  const { homepage, bugs, author, repository } = readJson(`${root}/package.json`);
  writeJson(join(target, 'package.json'), {
    ...identity,
    description,
    homepage,
    bugs,
    license,
    author,
    repository,
    type: 'module',
    bin: { 'plant-store': './dist/main.js' },
    dependencies,
    // The dependencies are in the folder, so that npm installs nothing else.
    bundleDependencies: Object.keys(dependencies),
    engines,
    publishConfig: { access: 'public', provenance: true },
  });
  writePages(target, identity);
  finish(target, /^dist\/main\.js$/, time);
  rmSync(folder, { recursive: true, force: true });
  renameSync(target, folder);
  const sizes = listFiles(folder).map((path) => statSync(join(folder, path)).size);
  return { folder, files: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

/** The packages in a folder `node_modules`, with their versions. */
function readVersions(folder: string): Readonly<Record<string, unknown>> {
  const manifests = globSync('{,@*/}*/package.json', { cwd: folder }).toSorted();
  return Object.fromEntries(
    manifests.map((path) => [dirname(path), readJson(join(folder, path))['version']]),
  );
}

function writePages(target: string, identity: { readonly version: string; readonly commit: string }): void {
  const pages = listOperatorPages();
  write(join(target, 'README.md'), renderReadme(identity));
  const has = (path: string) =>
    pages.includes(path) || statSync(join(target, path), { throwIfNoEntry: false }) !== undefined;
  for (const page of pages) write(join(target, page), readOperatorPage(page, has));
}

/** Copies the files that match any of the patterns, each of which must match at least one. */
function copy(
  source: string,
  target: string,
  patterns: readonly string[],
  { exclude = [] }: { readonly exclude?: readonly string[] } = {},
): void {
  for (const pattern of patterns) {
    const paths = globSync(pattern, { cwd: source, exclude });
    if (paths.length === 0) throw new Error(`${source} has no file ${pattern}, which the release needs.`);
    for (const path of paths) {
      mkdirSync(dirname(join(target, path)), { recursive: true });
      copyFileSync(join(source, path), join(target, path));
    }
  }
}

function writeJson(path: string, content: object): void {
  write(path, `${JSON.stringify(content, undefined, 2)}\n`);
}

function readJson(path: string): Record<string, unknown> {
  return JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
}
