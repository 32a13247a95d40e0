import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { createProject, installWithNpm } from './install.js';
import { withPackedPackages } from './pack.js';
import { run } from './run.js';
import { findMissingSources } from './source-maps.js';

/** How projects resolve imports: for Node.js, and for a browser bundler. */
const resolutions = [
  { moduleResolution: 'nodenext', module: 'nodenext', lib: ['es2023'], types: ['node'] },
  { moduleResolution: 'bundler', module: 'esnext', lib: ['es2023', 'dom'], types: [] },
];

/** The compiler of the workspace, and the types of Node.js, as `name@version`. */
export const pinnedCompiler: readonly string[] = ['typescript', '@types/node'].map(
  (name) => `${name}@${versionOf(name)}`,
);

/** The package that each project installs, and the programs that use it. */
const projects = [
  { name: 'client', programs: ['client', 'unwrap', 'tanstack-query', 'testing'] },
  { name: 'contract', programs: ['contract'] },
] as const;

/** A project that uses one of the packages, with its programs compiled. */
export interface Consumer {
  /** The package and the module resolution. */
  readonly name: string;
  /** The paths of its compiled programs; each fails if a check in it does. */
  readonly programs: readonly string[];
}

/**
 * Installs each packed package with npm, alone and outside the workspace, and compiles its programs from `consumer/`
 * there, once for each module resolution. All is removed after `use`.
 */
export function withConsumers(use: (consumers: readonly Consumer[]) => void | Promise<void>): Promise<void> {
  return withPackedPackages(async ({ folder, tarballs }) => {
    const consumers = projects.flatMap(({ name, programs }) => {
      const project = createProject(folder, `${name}-project`);
      installWithNpm(project, tarballs[name], ...pinnedCompiler);
      checkInstalled(join(project, 'node_modules/@plant-store', name));
      return resolutions.map((options) => ({
        name: `the ${name}, moduleResolution ${options.moduleResolution}`,
        programs: compile(join(project, options.moduleResolution), options, programs),
      }));
    });
    await use(consumers);
  });
}

/** Compiles programs in a folder of a project, and returns the paths of the results. */
function compile(folder: string, options: object, programs: readonly string[]): string[] {
  mkdirSync(folder);
  for (const program of programs) {
    cpSync(resolve(import.meta.dirname, `../../consumer/${program}.ts`), join(folder, `${program}.ts`));
  }
  const compilerOptions = {
    ...options,
    target: 'es2023',
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmitOnError: true,
    declaration: true,
    rootDir: '.',
    outDir: 'out',
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  run(folder, '../node_modules/.bin/tsc');
  return programs.map((program) => join(folder, 'out', `${program}.js`));
}

function versionOf(name: string): string {
  const file = createRequire(import.meta.url).resolve(`${name}/package.json`);
  return JSON.parse(readFileSync(file, 'utf8')).version;
}

/** @throws {Error} if a package has dependencies that only resolve in a workspace, or a source map without sources */
function checkInstalled(folder: string): void {
  const manifest = readFileSync(join(folder, 'package.json'), 'utf8');
  if (/"(workspace|catalog):/.test(manifest))
    throw new Error(`${folder} depends on a workspace:\n${manifest}`);
  const missing = findMissingSources(folder);
  if (missing.length > 0) throw new Error(`Sources are missing:\n${missing.join('\n')}`);
}
