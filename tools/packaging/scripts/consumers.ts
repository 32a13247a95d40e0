import { cpSync, existsSync, globSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import clientPackage from '@plant-store/client/package.json' with { type: 'json' };
import type { Table } from './documented-table.js';
import { createProject, install, type Packed, pinned, run } from './support.js';

const workersTypesPackage = '@cloudflare/workers-types@5.20261117.1';

const nodenext = { module: 'nodenext', moduleResolution: 'nodenext' };
const bundler = { module: 'esnext', moduleResolution: 'bundler' };
const workersTypes = ['@cloudflare/workers-types'];
const nodeOptions = { ...nodenext, lib: ['es2022'], types: ['node'] };

/** The compiler options of projects for different runtimes, and the programs that they compile. */
const settings = [
  { title: '`es2020`, `dom`', options: { ...bundler, lib: ['es2020', 'dom'], types: [] }, include: ['*.ts'] },
  { title: '`es2022`, @types/node', options: nodeOptions, include: ['*.ts', '*.cts'] },
  {
    title: '`es2022`, `webworker`',
    options: { ...bundler, lib: ['es2022', 'webworker'], types: [] },
    include: ['*.ts'],
  },
  {
    title: '`es2022`, workers-types',
    options: { ...bundler, lib: ['es2022'], types: workersTypes },
    include: ['*.ts'],
  },
  // `verbatimModuleSyntax` forbids an `import` that compiles to `require`.
  { title: 'CommonJS', options: { ...nodeOptions, verbatimModuleSyntax: false }, include: ['common-js/*'] },
  // The target that Next.js writes into a new project.
  {
    title: 'target `es2017`',
    options: {
      ...bundler,
      target: 'es2017',
      lib: ['dom', 'dom.iterable', 'esnext'],
      types: [],
      isolatedDeclarations: true,
    },
    include: ['target-es2017/*', 'annotated.ts'],
  },
];

const newest = [pinned('typescript'), pinned('@types/node')];

/** The oldest supported TypeScript, version 5.9, which many tools still need, and the newest, each with what to compile with it. */
const compilers = [
  {
    packages: ['typescript@5.4.5', '@types/node@22.14.1'],
    strictness: {},
    isTried: (title: string) => !/CommonJS|target/.test(title),
  },
  {
    packages: ['typescript@5.9.3', pinned('@types/node')],
    strictness: { erasableSyntaxOnly: true },
    isTried: (title: string) => /node|CommonJS|target/.test(title),
  },
  { packages: newest, strictness: { erasableSyntaxOnly: true }, isTried: () => true },
];

/**
 * Installs each packed package by itself, and compiles its programs from `consumer/` and an import of each entry, with all strict options
 * and `skipLibCheck` off: the client with each TypeScript and its settings, and the contract with the newest. Runs those for Node.js.
 */
export function tryTypeScript({ folder, client, contract }: Packed): Table {
  const rows = compilers.map(({ packages, strictness, isTried }) => {
    const project = createConsumer(folder, 'client', client, [...packages, workersTypesPackage]);
    const results = settings.map(({ title, options, include }) => {
      if (!isTried(title)) return '';
      compile(project, { ...strictness, ...options }, include);
      return 'compiles';
    });
    return [`${packages[0]}`.replace(/^.*@(\d+\.\d+).*/, '$1'), ...results];
  });
  const project = createConsumer(folder, 'contract', contract, newest);
  compile(project, { ...nodenext, lib: ['es2023'], types: ['node'] });
  return { head: ['TypeScript', ...settings.map(({ title }) => title)], rows };
}

function createConsumer(folder: string, name: string, tarball: string, packages: readonly string[]): string {
  const project = createProject(folder, `${name}-${packages[0]?.replace('@', '-')}`, `consumer/${name}`);
  install(project, tarball, ...packages);
  const installed = join(project, 'node_modules/@plant-store', name);
  checkInstalled(installed);
  writeFileSync(join(project, 'entries.ts'), exportEntries(installed));
  return project;
}

/** Returns a program that imports every entry of an installed package, except those that need a library (see `checkLibraries`). */
function exportEntries(folder: string): string {
  const { name, exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return Object.keys(exports)
    .filter((entry) => !/\.json$|^\.\/msw$/.test(entry))
    .map((entry, index) => `export * as entry${index} from '${join(name, entry)}';\n`)
    .join('');
}

/** The paths of this Node.js, and of the oldest one that the packages support. */
const nodes = [process.execPath, findNode(clientPackage.engines.node.replace('>=', ''))];

function findNode(version: string): string {
  return run(tmpdir(), 'npx', '-y', '-p', `node@${version}`, 'node', '--print', 'process.execPath').trim();
}

/**
 * Compiles the programs of a project, and runs those for Node.js.
 *
 * @throws {Error} if a program does not compile, or a check in it fails
 */
function compile(
  project: string,
  options: { readonly types: readonly string[] } & Readonly<Record<string, unknown>>,
  include: readonly string[] = ['*.ts'],
): void {
  const strictness = {
    strict: true,
    exactOptionalPropertyTypes: true,
    isolatedModules: true,
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
  const output = { target: 'es2022', noEmitOnError: true, composite: true, rootDir: '.', outDir: 'out' };
  const compilerOptions = { ...strictness, ...output, ...options };
  rmSync(join(project, 'out'), { recursive: true, force: true });
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include }));
  run(project, 'node_modules/.bin/tsc');
  if (!options.types.includes('node')) return;
  for (const program of globSync('out/**/*.{js,cjs}', { cwd: project })) {
    for (const node of nodes) run(project, node, program);
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
    for (const [index, source] of sources.entries()) {
      const hasSource = sourcesContent[index] || existsSync(join(dirname(map), source));
      if (!hasSource) throw new Error(`${map} has no source ${source}`);
    }
  }
}

const tanstackQuery = [
  '@tanstack/react-query@5.108.0',
  'react@19.3.1',
  '@types/react@19.3.0',
  '@tanstack/vue-query@5.104.0',
  'vue@3.5.45',
  '@tanstack/solid-query@5.104.0',
  'solid-js@1.9.19',
  '@tanstack/svelte-query@6.3.6',
  'svelte@5.57.3',
];

/** The programs in `peers/`, each with packages to compile it with. The workspace has only one version of each package. */
const trials: readonly (readonly [program: string, ...packages: string[]])[] = [
  ['msw', 'msw@2.10.0'],
  ['msw', 'msw@3.0.5'],
  ['tanstack-query', ...tanstackQuery],
];

/**
 * Compiles and runs programs that use the packed client with the libraries that it supports. Each package can import only its own
 * dependencies and peer dependencies.
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
