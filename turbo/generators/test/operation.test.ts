import { globSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseOperation } from '../src/operation.js';
import { writeOperation } from '../src/write-operation.js';
import { copyRepository, workspaces } from './support/copy-repository.js';
import { fillIn, fillInsFor } from './support/fill-ins.js';
import { getPlantFillIns } from './support/get-plant.js';
import { checkTypes, expectSuccess, run } from './support/run.js';

const getPlant = { name: 'getPlant', method: 'GET', path: '/plants/:id', access: 'read' };
const generateGetPlant = ['run', 'operation', '--root', '.', '--args', ...Object.values(getPlant)];
/** With and without parameters, with and without a body, and both kinds of access. */
const others = [
  { name: 'listPlants', method: 'GET', path: '/plants', access: 'read' },
  { name: 'replacePlant', method: 'PUT', path: '/plants/:id', access: 'write' },
  { name: 'removePlant', method: 'DELETE', path: '/plants/:id', access: 'write' },
  { name: 'addLeaf', method: 'POST', path: '/plants/:id/leaves/:leafId', access: 'write' },
].map(parseOperation);

/** A copy of the repository with all of them, which the tests below change one after another. */
let copy: string;
beforeAll(() => {
  copy = copyRepository();
  expectSuccess(copy, 'gen', ...generateGetPlant);
  for (const operation of others) writeOperation(copy, operation);
  return () => rmSync(copy, { recursive: true });
});

it.each([
  ['whose files exist', getPlant, 'get-plant.ts exists already'],
  ['whose route exists', { ...getPlant, name: 'findPlant' }, 'another operation is get there'],
])('changes no file for an operation %s', (_, answers, message) => {
  const before = readFiles();
  expect(() => writeOperation(copy, parseOperation(answers))).toThrow(message);
  expect(readFiles()).toEqual(before);
});

it('fails as a command, too, for an operation that exists', () => {
  const { status, output } = run(copy, 'gen', ...generateGetPlant);
  expect(output).toContain('get-plant.ts exists already');
  expect(status).not.toBe(0);
});

it('writes tests that fail until the operation is filled in', () => {
  const { status, output } = runTests('sqlite');
  expect(status).not.toBe(0);
  expect(output).toMatch(/Test Files {2}5 failed/);
});

it('leaves at most 40 lines to be written by hand for getPlant', () => {
  const lines = getPlantFillIns.flatMap(({ replacement }) => replacement.trim().split('\n'));
  expect(lines.length).toBeLessThanOrEqual(40);
});

describe('operations that are filled in', () => {
  beforeAll(() => fillIn(copy, [...getPlantFillIns, ...others.flatMap(fillInsFor)]));

  it.each(workspaces)('have correct types in %s', (workspace) => {
    const { status, output } = checkTypes(join(copy, workspace));
    expect(status, output).toBe(0);
  });

  it('have no lint errors', () => {
    expectSuccess(copy, 'biome', 'check', '--error-on-warnings', ...workspaces);
  });

  it('are described by a valid OpenAPI document', () => {
    const contract = join(copy, 'packages/contract');
    expectSuccess(contract, 'redocly', 'lint', 'openapi.json');
    expectSuccess(contract, 'vitest', 'run', '--typecheck=false', 'src/openapi', 'src/errors');
  });

  it('answer alike on each engine and in the fake plant store, and HEAD where they have GET', () => {
    const { status, output } = runTests('sqlite', 'sqlite-plain', 'postgresql');
    expect(status, output).toBe(0);
    // Of the service and of the fake: one of each operation, HEAD of two, and two more of getPlant.
    expect(output).toMatch(/Tests {2}54 passed/);
  });
});

/** Runs the tests of the generated operations, in some projects of the service. */
function runTests(...projects: readonly string[]) {
  const files = ['get-plant', ...others.map(({ file }) => file)].map((file) => `test/http/${file}.test.ts`);
  const options = projects.map((project) => `--project=${project}`);
  return run(join(copy, 'apps/api'), 'vitest', 'run', ...options, ...files);
}

/** The texts of all files of the copy, by their paths. */
function readFiles(): Record<string, string> {
  const entries = globSync('**', { cwd: copy, exclude: ['**/node_modules'], withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return Object.fromEntries(paths.map((path) => [path, readFileSync(path, 'utf8')]));
}
