// Generates clients from the OpenAPI document, and runs two programs with each against the built service: one as docs/use/openapi.md
// recommends, and one with `plant.id` in paths. Checks that no ID is rounded, and compares the generators with the table on that page, or
// writes the table there (--write).
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { checkTable } from './documented-table.js';
import { createProject, install, root, run, withService } from './support.js';

/** What a program prints for each operation: the IDs stored, listed, returned, or deleted, and what the client returned or threw. */
type Report = Readonly<Record<Operation | 'sendBack', { readonly ids?: string; readonly result?: string }>>;

type Operation = 'create' | 'list' | 'get' | 'delete';

/** The ID that the programs use. */
const exactId = '9007199254740993';

const verbs = { create: 'stores', list: 'lists', get: 'returns', delete: 'deletes' } as const;

type Generator = (typeof generators)[number];

const programs = resolve(import.meta.dirname, '../generators');
/**
 * The generators, read from the comments at the beginning of their programs:
 * - `packages`: the generator and the runtime dependencies of its client, which the table names
 * - `peers`: other packages to install
 * - `command`: generates the client. Empty if the program uses the types of another generator
 * - `output`: the file for what the command prints
 * - `note`: an addition to the table
 */
const generators = readdirSync(programs).flatMap((file) => {
  const text = readFileSync(join(programs, file), 'utf8');
  const read = (name: string) => new RegExp(`^// ${name}: (.*)$`, 'm').exec(text)?.[1] ?? '';
  const [packages = [], peers = [], command = []] = ['packages', 'peers', 'command'].map(
    (name) => read(name).match(/\S+/g) ?? [],
  );
  if (packages.length === 0) return [];
  return {
    name: file.replace('.ts', ''),
    packages,
    peers,
    command,
    output: read('output'),
    note: read('note'),
  };
});

const folder = mkdtempSync(join(tmpdir(), 'plant-store-generators-'));
try {
  const project = createProject(folder, 'project', 'generators');
  const packages = generators.flatMap(({ packages, peers }) => [...packages, ...peers]);
  // openapi-typescript and others need the JavaScript API of the compiler, which TypeScript 7 does not have.
  install(project, 'typescript@5.9.3', '@types/node@26.6.6', ...new Set(packages));
  copyFileSync(join(root, 'packages/contract/openapi.json'), join(project, 'openapi.json'));
  mkdirSync(join(project, 'generated'));
  for (const generator of generators) generate(project, generator);
  const failed = compilePrograms(project);
  await bundlePrograms(project);
  const rows: string[][] = [];
  for (const generator of generators) rows.push(await tryClient(project, generator, failed));
  checkTable('docs/use/openapi.md', { head: ['generator'], rows });
} finally {
  rmSync(folder, { recursive: true });
}

/** Runs a generator, and writes the documented variant of its program, with `plant.idText` instead of `plant.id`. */
function generate(project: string, { name, command, output }: Generator): void {
  const [program, ...options] = command;
  if (program !== undefined) {
    const printed = run(project, `node_modules/.bin/${program}`, ...options);
    if (output !== '') writeFileSync(join(project, output), printed);
  }
  const text = readFileSync(join(project, `${name}.ts`), 'utf8');
  writeFileSync(join(project, `${name}.documented.ts`), text.replaceAll(/\bplant\.id\b/g, 'plant.idText'));
  console.log(`generators: ${name}: generated`);
}

/** Compiles all programs with the compiler of the workspace, and returns the operations of each program that do not compile. */
function compilePrograms(project: string): ReadonlyMap<string, ReadonlySet<string>> {
  const compilerOptions = {
    target: 'es2023',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: ['node'],
    strict: true,
    module: 'esnext',
    moduleResolution: 'bundler',
    allowImportingTsExtensions: true,
    noEmit: true,
    skipLibCheck: true,
  };
  const include = generators.flatMap(({ name }) => [`${name}.ts`, `${name}.documented.ts`]);
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include }));
  const tsc = resolve(import.meta.dirname, '../node_modules/.bin/tsc');
  const { stdout, status } = spawnSync(tsc, ['--pretty', 'false'], { cwd: project, encoding: 'utf8' });
  if (status !== 0 && !stdout) throw new Error(`tsc ends with the status ${status}`);
  return findFailedOperations(project, stdout);
}

/** Bundles each program with the generated client, so that it runs without TypeScript. */
async function bundlePrograms(project: string): Promise<void> {
  await build({
    entryPoints: generators.flatMap(({ name }) => [`${name}.ts`, `${name}.documented.ts`]),
    absWorkingDir: project,
    outdir: 'bundled',
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
  });
}

/**
 * Runs the documented program of a generator, and the one with `plant.id` if that compiles, each with an empty store.
 *
 * @returns its row of the table
 * @throws {Error} if the documented program is not exact, if a path with `plant.id` is accepted, or if a plant that is sent back as
 * `JSON.parse` read it is stored
 */
async function tryClient(
  project: string,
  { name, packages, note }: Generator,
  failed: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<string[]> {
  const runProgram = (program: string): Promise<Report> =>
    withService(mkdtempSync(join(project, 'service-')), ({ baseUrl, token }) =>
      JSON.parse(run(project, process.execPath, join('bundled', program), baseUrl, token)),
    );
  const documented = await runProgram(`${name}.documented.js`);
  const withIdText = describeOutcomes(['create', 'list', 'get', 'delete'], documented);
  if (withIdText !== 'exact') throw new Error(`${name} with idText: ${withIdText}`);
  checkSendBack(documented);
  const inPaths = ['get', 'delete'] as const;
  const areRejected = inPaths.every((operation) => failed.get(name)?.has(operation));
  if (!areRejected) {
    const withId = describeOutcomes(inPaths, await runProgram(`${name}.js`));
    if (withId !== 'rejected') throw new Error(`${name} with plant.id: ${withId}`);
  }
  console.log(`generators: ${name}: run`);
  // `name@version` as `name version`.
  const shown = packages.map((each) => each.replace(/@(?=\d)/, ' '));
  return [[...shown, ...(note === '' ? [] : [note])].join(', ')];
}

/** Describes the distinct outcomes of operations. */
function describeOutcomes(operations: readonly Operation[], report: Report): string {
  const outcomes = operations.map((operation) => {
    const { ids = '' } = report[operation];
    if (ids === '') return 'rejected';
    return ids === exactId ? 'exact' : `**${verbs[operation]} ${ids}**`;
  });
  return [...new Set(outcomes)].join(', ');
}

/**
 * Checks that a plant that was sent back as `JSON.parse` read it was rejected, and stored nothing.
 *
 * @throws {Error} with what was stored, or with what the client returned instead of the reason
 */
function checkSendBack({ sendBack: { ids, result = '' } }: Report): void {
  if (ids !== exactId) throw new Error(`A plant sent back as read stores ${ids}`);
  if (!result.includes('send idText without id')) throw new Error(result);
}

/**
 * Finds the operations of each program that do not compile, in the output of the compiler.
 *
 * @throws {Error} with the output if anything but an operation with `plant.id` does not compile
 */
function findFailedOperations(project: string, printed: string): ReadonlyMap<string, ReadonlySet<string>> {
  const failed = new Map<string, Set<string>>();
  for (const error of printed.split('\n').filter((line) => /^\S/.test(line))) {
    const [, program, line] = /^([\w-]+)\.ts\((\d+),\d+\): error TS/.exec(error) ?? [];
    if (program === undefined) throw new Error(printed);
    const lines = readFileSync(join(project, `${program}.ts`), 'utf8')
      .split('\n')
      .slice(0, Number(line));
    const operationLine = lines.findLast((text) => /^ {2}\w+: /.test(text));
    if (operationLine === undefined || !lines.at(-1)?.includes('plant.id')) throw new Error(printed);
    failed.set(program, (failed.get(program) ?? new Set()).add(operationLine.trim().split(':')[0] ?? ''));
  }
  return failed;
}
