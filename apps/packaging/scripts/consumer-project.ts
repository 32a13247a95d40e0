import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { withPackedPackages } from './pack.js';
import { run } from './run.js';
import { findMissingSources } from './source-maps.js';

/** How projects resolve imports: on Node.js, and for a bundler that writes for browsers. */
const projects = {
  nodenext: { module: 'nodenext', lib: ['es2023'], types: ['node'] },
  bundler: { module: 'esnext', lib: ['es2023', 'dom'], types: [] },
};

/** A project that uses the packages, with its programs compiled. */
export interface Consumer {
  readonly moduleResolution: string;
  /** The paths of its compiled programs; each ends with an error when something is not as it should be. */
  readonly programs: readonly string[];
}

/**
 * Installs the packed packages with npm outside the workspace, and compiles the programs of `consumer/` there, once for
 * each way to resolve imports. They last as long as `use` takes.
 */
export function withConsumers(use: (consumers: readonly Consumer[]) => void): void {
  withPackedPackages(({ folder, tarballs }) => {
    const pinned = ['typescript', '@types/node'].map((name) => `${name}@${versionOf(name)}`);
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
    run(folder, 'npm', 'install', '--no-audit', '--no-fund', ...tarballs, ...pinned);
    for (const name of ['client', 'contract'])
      checkInstalled(join(folder, 'node_modules/@plant-store', name));
    use(Object.entries(projects).map(([resolution, options]) => compile(folder, resolution, options)));
  });
}

function compile(folder: string, moduleResolution: string, options: object): Consumer {
  const project = join(folder, moduleResolution);
  cpSync(resolve(import.meta.dirname, '../consumer'), project, { recursive: true });
  const compilerOptions = {
    ...options,
    moduleResolution,
    target: 'es2023',
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmitOnError: true,
    rootDir: '.',
    outDir: 'out',
  };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  run(project, '../node_modules/.bin/tsc');
  return {
    moduleResolution,
    programs: ['client', 'contract', 'testing'].map((name) => join(project, 'out', `${name}.js`)),
  };
}

function versionOf(name: string): string {
  const file = createRequire(import.meta.url).resolve(`${name}/package.json`);
  return JSON.parse(readFileSync(file, 'utf8')).version;
}

/** @throws {Error} when a package depends on what only a workspace knows, or lacks a source of its source maps */
function checkInstalled(folder: string): void {
  const manifest = readFileSync(join(folder, 'package.json'), 'utf8');
  if (/"(workspace|catalog):/.test(manifest))
    throw new Error(`${folder} depends on a workspace:\n${manifest}`);
  const missing = findMissingSources(folder);
  if (missing.length > 0) {
    throw new Error(`Sources are missing. Remove dist, which may be old, and build:\n${missing.join('\n')}`);
  }
}
