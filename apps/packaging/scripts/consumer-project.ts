import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { createProject, installWithNpm } from './install.js';
import { withPackedPackages } from './pack.js';
import { run } from './run.js';
import { findMissingSources } from './source-maps.js';

/** How projects resolve imports: on Node.js, and for a bundler that writes for browsers. */
const resolutions = [
  { moduleResolution: 'nodenext', module: 'nodenext', lib: ['es2023'], types: ['node'] },
  { moduleResolution: 'bundler', module: 'esnext', lib: ['es2023', 'dom'], types: [] },
];

/** What is installed of the packages, which is all that there is of them, and the programs that use it. */
const projects = [
  { name: 'client', programs: ['client', 'testing'] },
  { name: 'contract', programs: ['contract'] },
] as const;

/** A project that uses one of the packages, with its programs compiled. */
export interface Consumer {
  /** The package and the way to resolve imports. */
  readonly name: string;
  /** The paths of its compiled programs; each ends with an error when something is not as it should be. */
  readonly programs: readonly string[];
}

/**
 * Installs each packed package with npm, alone and outside the workspace, and compiles its programs of `consumer/` there,
 * once for each way to resolve imports. They last as long as `use` takes, which is given the client's tarball, too.
 */
export function withConsumers(use: (consumers: readonly Consumer[], client: string) => void): Promise<void> {
  return withPackedPackages(({ folder, tarballs }) => {
    const pinned = ['typescript', '@types/node'].map((name) => `${name}@${versionOf(name)}`);
    const consumers = projects.flatMap(({ name, programs }) => {
      const project = createProject(folder, `${name}-project`);
      installWithNpm(project, tarballs[name], ...pinned);
      checkInstalled(join(project, 'node_modules/@plant-store', name));
      return resolutions.map((options) => ({
        name: `the ${name}, moduleResolution ${options.moduleResolution}`,
        programs: compile(join(project, options.moduleResolution), options, programs),
      }));
    });
    use(consumers, tarballs.client);
  });
}

/** Compiles programs in a folder of a project, and gives the paths of the results. */
function compile(folder: string, options: object, programs: readonly string[]): string[] {
  mkdirSync(folder);
  for (const program of programs) {
    cpSync(resolve(import.meta.dirname, `../consumer/${program}.ts`), join(folder, `${program}.ts`));
  }
  const compilerOptions = {
    ...options,
    target: 'es2023',
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmitOnError: true,
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

/** @throws {Error} when a package depends on what only a workspace knows, or lacks a source of its source maps */
function checkInstalled(folder: string): void {
  const manifest = readFileSync(join(folder, 'package.json'), 'utf8');
  if (/"(workspace|catalog):/.test(manifest))
    throw new Error(`${folder} depends on a workspace:\n${manifest}`);
  const missing = findMissingSources(folder);
  if (missing.length > 0) throw new Error(`Sources are missing:\n${missing.join('\n')}`);
}
