import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Table } from './documented-table.js';
import { createProject, type Packed, pinned, run } from './support.js';

const typesOfWorkers = '@cloudflare/workers-types@5.20261117.1';

/** The newest TypeScript, with the types of Node.js. */
const newest = [pinned('typescript'), pinned('@types/node')] as const;

/** The oldest TypeScript, the last one that is written in JavaScript, and the newest, with the types of Node.js that they can compile. */
const compilers = [
  ['typescript@5.4.5', '@types/node@22.14.1'],
  ['typescript@5.9.3', pinned('@types/node')],
  newest,
] as const;

const nodenext = { module: 'nodenext', moduleResolution: 'nodenext' };
const bundler = { module: 'esnext', moduleResolution: 'bundler' };
const workersTypes = ['@cloudflare/workers-types'];

/** What a project declares of the runtime that it is for. */
const runtimes = [
  { title: '`es2020`, `dom`', options: { ...bundler, lib: ['es2020', 'dom'], types: [] } },
  { title: '`es2022`, @types/node', options: { ...nodenext, lib: ['es2022'], types: ['node'] } },
  { title: '`es2022`, `webworker`', options: { ...bundler, lib: ['es2022', 'webworker'], types: [] } },
  { title: '`es2022`, workers-types', options: { ...bundler, lib: ['es2022'], types: workersTypes } },
];

/**
 * Installs each packed package alone with npm, compiles its programs from `consumer/` with several versions of TypeScript, for each
 * runtime and as a library that others refer to, with `skipLibCheck` off, and runs those for Node.js.
 */
export function tryTypeScript({ folder, client, contract }: Packed): Table {
  const rows = compilers.map((packages) => {
    const project = createConsumer(folder, 'client', client, [...packages, typesOfWorkers]);
    for (const { options } of runtimes) compile(project, options);
    compile(project, { ...bundler, lib: ['es2022', 'dom'], types: [], composite: true });
    if (packages !== compilers[0]) {
      const isolated = { isolatedDeclarations: true, erasableSyntaxOnly: true };
      compile(project, { ...bundler, lib: ['es2022', 'dom'], types: [], ...isolated }, ['annotated.ts']);
    }
    return [packages[0].replace(/^.*@(\d+\.\d+).*/, '$1'), ...runtimes.map(() => 'compiles')];
  });
  const project = createConsumer(folder, 'contract', contract, newest);
  compile(project, { ...nodenext, lib: ['es2023'], types: ['node'] });
  return { head: ['TypeScript', ...runtimes.map(({ title }) => title)], rows };
}

function createConsumer(folder: string, name: string, tarball: string, packages: readonly string[]): string {
  const project = createProject(folder, `${name}-${packages[0]?.replace('@', '-')}`, `consumer/${name}`);
  run(project, 'npm', 'install', '--no-audit', '--no-fund', tarball, ...packages);
  checkInstalled(join(project, 'node_modules/@plant-store', name));
  return project;
}

/** What differs between projects. */
interface CompilerOptions {
  readonly types: readonly string[];
  readonly [name: string]: unknown;
}

/** @throws {Error} if a program does not compile or, for Node.js, a check in it fails */
function compile(project: string, options: CompilerOptions, include = ['*.ts']): void {
  const strictness = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noFallthroughCasesInSwitch: true,
    noImplicitOverride: true,
    noImplicitReturns: true,
    noPropertyAccessFromIndexSignature: true,
    noUncheckedIndexedAccess: true,
    noUnusedLocals: true,
    noUnusedParameters: true,
    verbatimModuleSyntax: true,
    skipLibCheck: false,
  };
  const output = { target: 'es2022', noEmitOnError: true, declaration: true, outDir: 'out' };
  const compilerOptions = { ...strictness, ...output, ...options };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include }));
  run(project, 'node_modules/.bin/tsc');
  if (!options.types.includes('node')) return;
  for (const file of readdirSync(join(project, 'out')).filter((name) => name.endsWith('.js'))) {
    run(project, process.execPath, join('out', file));
  }
}

/** @throws {Error} if a package has dependencies that only resolve in a workspace, or a source map without sources */
function checkInstalled(folder: string): void {
  const manifest = readFileSync(join(folder, 'package.json'), 'utf8');
  if (/"(workspace|catalog):/.test(manifest)) throw new Error(`It depends on a workspace:\n${manifest}`);
  const files = readdirSync(join(folder, 'dist'), { recursive: true, encoding: 'utf8' });
  const maps = files.filter((file) => file.endsWith('.map')).map((file) => join(folder, 'dist', file));
  for (const map of maps) {
    const { sources, sourcesContent = [] } = JSON.parse(readFileSync(map, 'utf8'));
    for (const [place, source] of sources.entries()) {
      const isThere = sourcesContent[place] || existsSync(join(dirname(map), source));
      if (!isThere) throw new Error(`${map} has no source ${source}`);
    }
  }
}

const tanstackQuery = [
  ...['@tanstack/react-query@5.108.0', 'react@19.3.1', '@types/react@19.3.0'],
  ...['@tanstack/vue-query@5.104.0', 'vue@3.5.45', '@tanstack/solid-query@5.104.0', 'solid-js@1.9.19'],
  ...['@tanstack/svelte-query@6.3.6', 'svelte@5.57.3'],
];

/** The programs in `peers/`, and what each is tried with; installed here, since the workspace has one version of each. */
const trials: readonly (readonly [program: string, ...packages: string[]])[] = [
  ['msw', 'msw@2.10.0'],
  ['msw', 'msw@3.0.5'],
  ['tanstack-query', ...tanstackQuery],
];

/**
 * Compiles programs that use the packed client's entries together with the libraries that these are for, and runs them. Each package
 * can import only its own dependencies and peer dependencies.
 */
export function checkLibraries({ folder, client }: Packed): void {
  for (const [index, [program, ...packages]] of trials.entries()) {
    const project = createProject(folder, `peer-${index}`);
    cpSync(resolve(import.meta.dirname, `../peers/${program}.ts`), join(project, 'program.ts'));
    const options = ['--config.node-linker=isolated', '--config.hoist=false'];
    run(project, 'pnpm', 'add', ...options, client, ...newest, ...packages);
    // The types of some of the libraries do not compile without `skipLibCheck`.
    const platform = { lib: ['es2023', 'dom', 'dom.iterable'], types: ['node'], skipLibCheck: true };
    compile(project, { ...nodenext, ...platform });
  }
}
