// Runs generators on the OpenAPI document, compiles two programs with each client, one as most are written and one as
// docs/use/openapi.md says, and runs them against the built service. Compares what becomes of an id with the table of
// that page, or writes it (--write).
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type Generator, generators } from './generators/cases.js';
import {
  compilePrograms,
  documentedOf,
  type FailedOperations,
  writeDocumented,
} from './generators/compile-programs.js';
import { describeOutcomes } from './generators/describe-outcomes.js';
import { runProgram } from './generators/run-program.js';
import { checkTables } from './support/documented-table.js';
import { createProject, installTools } from './support/install.js';

/** openapi-typescript and others need the JavaScript API of the compiler, which TypeScript 7 does not have. */
const compiler = ['typescript@5.9.3', '@types/node@26.6.6'];

const head = [
  'generator',
  '`list`, `get`, `delete` with `plant.id`',
  'with `plant.idText`',
  '`create` with a `number`',
  'with a `bigint`',
];

const folder = mkdtempSync(join(tmpdir(), 'plant-store-generators-'));
try {
  const project = createProject(folder, 'generators-project');
  const packages = generators.flatMap(({ packages, peers = [] }) => [...packages, ...peers]);
  installTools(project, ...compiler, ...new Set(packages));
  cpSync(resolve(import.meta.dirname, '../generators'), project, { recursive: true });
  cpSync(
    resolve(import.meta.dirname, '../../../packages/contract/openapi.json'),
    join(project, 'openapi.json'),
  );
  mkdirSync(join(project, 'generated'));
  await mapInParallel(generators, (generator) => generate(project, generator));

  const programs = generators.map(({ name }) => name);
  for (const program of programs) writeDocumented(project, program);
  const failed = compilePrograms(project, programs);
  const rows = await mapInParallel(generators, (generator) => tryClient(project, generator, failed));
  checkTables('docs/use/openapi.md', [{ head, rows }]);
} finally {
  rmSync(folder, { recursive: true });
}

async function generate(
  project: string,
  { command: [name, ...options] = [], output }: Generator,
): Promise<void> {
  if (name === undefined) return;
  const path = join(project, 'node_modules/.bin', name);
  const { stdout } = await promisify(execFile)(path, options, { cwd: project, maxBuffer: 2 ** 26 });
  if (output !== undefined) writeFileSync(join(project, output), stdout);
}

/** Runs both programs of a generator, and returns its row of the table. */
async function tryClient(
  project: string,
  { name, packages, setting }: Generator,
  failed: FailedOperations,
): Promise<string[]> {
  const natural = await runProgram(project, name, 'number');
  const documented = await runProgram(project, documentedOf(name), 'bigint');
  console.log(`generators: ${name}: generated, compiled, run`);
  return [
    packages.map(formatPackage).join(', ') + (setting === undefined ? '' : `, ${setting}`),
    describeOutcomes(['list', 'get', 'delete'], natural, failed.get(name)),
    describeOutcomes(['list', 'get', 'delete'], documented),
    describeOutcomes(['create'], natural, failed.get(name)),
    describeOutcomes(['create'], documented),
  ];
}

/** `name@version` as `name version`. */
function formatPackage(text: string): string {
  const at = text.lastIndexOf('@');
  return `${text.slice(0, at)} ${text.slice(at + 1)}`;
}

/** Handles as many items at a time as there are processors; all of them, before it throws what one has thrown. */
async function mapInParallel<Item, Result>(
  items: readonly Item[],
  action: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const left = items.entries();
  const work = async () => {
    for (const [place, item] of left) results[place] = await action(item);
  };
  const ended = await Promise.allSettled(Array.from({ length: availableParallelism() }, work));
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
  return results;
}
