// Runs generators on the OpenAPI document, compiles two programs with each client, one as most are written and one as
// docs/use/openapi.md says, and runs them against the built service. Compares what becomes of an id with the table of
// that page, or writes it (--write).
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
import { checkTable } from './documented-table.js';
import { describeOutcomes, findFailedOperations, type Report } from './outcomes.js';
import { createProject, install, root, run, withService } from './support.js';

/** A generator as it is tried, from the comments at the beginning of its program in `generators/`. */
interface Generator {
  readonly name: string;
  /** As `name@version`: the generator, and what its client needs at run time. The table names them. */
  readonly packages: readonly string[];
  /** What they need besides. */
  readonly peers: readonly string[];
  /** None where another generator has written the types; what it prints is kept in `output`. */
  readonly command: readonly string[];
  readonly output: string;
  /** What its program needs a setting for, as the table says it. */
  readonly setting: string;
}

const programs = resolve(import.meta.dirname, '../generators');
const generators = readdirSync(programs).flatMap((file): Generator[] => {
  const text = readFileSync(join(programs, file), 'utf8');
  const read = (name: string) => new RegExp(`^// ${name}: (.*)$`, 'm').exec(text)?.[1] ?? '';
  const words = (name: string) => read(name).match(/\S+/g) ?? [];
  if (words('packages').length === 0) return [];
  const given = { packages: words('packages'), peers: words('peers'), command: words('command') };
  return [{ name: file.replace('.ts', ''), ...given, output: read('output'), setting: read('setting') }];
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
  const rows: string[][] = [];
  for (const generator of generators) rows.push(await tryClient(project, generator, failed));
  const [ids, creates] = ['`list`, `get`, `delete` with `plant.id`', '`create` with a `number`'];
  const head = ['generator', ids, 'with `plant.idText`', creates, 'with a `bigint`'];
  checkTable('docs/use/openapi.md', { head, rows });
} finally {
  rmSync(folder, { recursive: true });
}

/** Runs a generator, and writes its documented program, which has `plant.idText` in place of `plant.id`. */
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

/** Compiles all programs with the compiler of the workspace, and returns the operations of each that do not compile. */
function compilePrograms(project: string): ReadonlyMap<string, ReadonlySet<string>> {
  const language = {
    strict: true,
    target: 'es2023',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: ['node'],
  };
  const resolution = { module: 'esnext', moduleResolution: 'bundler', allowImportingTsExtensions: true };
  const compilerOptions = { ...language, ...resolution, noEmit: true, skipLibCheck: true };
  const include = generators.flatMap(({ name }) => [`${name}.ts`, `${name}.documented.ts`]);
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include }));
  const tsc = resolve(import.meta.dirname, '../node_modules/.bin/tsc');
  const { stdout, status } = spawnSync(tsc, ['--pretty', 'false'], { cwd: project, encoding: 'utf8' });
  if (status !== 0 && !stdout) throw new Error(`tsc ends with the status ${status}`);
  return findFailedOperations(stdout, (file) => readFileSync(join(project, file), 'utf8'));
}

/** Runs both programs of a generator, each with an empty store, and returns its row of the table. */
async function tryClient(
  project: string,
  { name, packages, setting }: Generator,
  failed: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<string[]> {
  const tsx = resolve(import.meta.dirname, '../node_modules/.bin/tsx');
  const runProgram = (program: string, typeOfId: string): Promise<Report> =>
    withService(mkdtempSync(join(project, 'service-')), ({ baseUrl, token }) =>
      JSON.parse(run(project, tsx, program, baseUrl, token, typeOfId)),
    );
  const natural = await runProgram(`${name}.ts`, 'number');
  const documented = await runProgram(`${name}.documented.ts`, 'bigint');
  console.log(`generators: ${name}: run`);
  // `name@version` as `name version`.
  const shown = packages.map((each) => each.replace(/@(?=\d)/, ' '));
  return [
    [...shown, ...(setting === '' ? [] : [setting])].join(', '),
    describeOutcomes(['list', 'get', 'delete'], natural, failed.get(name)),
    describeOutcomes(['list', 'get', 'delete'], documented),
    describeOutcomes(['create'], natural, failed.get(name)),
    describeOutcomes(['create'], documented),
  ];
}
