import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { editsFor, filesFor } from '../src/files.js';
import { parseOperation } from '../src/operation.js';
import { writeOperation } from '../src/write-operation.js';
import { workspaces } from './support/copy-repository.js';
import { fillIn, fillInsFor, getSampleFillIns } from './support/fill-ins.js';
import { checkTypes, expectSuccess, run } from './support/run.js';

/** Of a resource that the API does not have, so that none of these operations exists already. */
const getSample = { name: 'getSample', method: 'GET', path: '/samples/:id', scope: 'read' };
const generateGetSample = ['run', 'operation', '--root', '.', '--args', ...Object.values(getSample)];
const addLeaf = { name: 'addLeaf', method: 'POST', path: '/samples/:id/leaves/:leafId', scope: 'create' };
const removeSample = { name: 'removeSample', method: 'DELETE', path: '/samples/:id', scope: 'delete' };
const copy = inject('copy');
const isNightly = inject('isNightly');
/** With getSample a read without a body, a write with one, and a reply without; each other one makes every check longer. */
const others = [
  addLeaf,
  removeSample,
  ...(isNightly
    ? [
        { name: 'listSamples', method: 'GET', path: '/samples', scope: 'read' },
        { name: 'replaceSample', method: 'PUT', path: '/samples/:id', scope: 'create' },
      ]
    : []),
].map(parseOperation);

const names = [getSample.name, ...others.map(({ name }) => name)];
const testsOfCases = [
  'vitest',
  'run',
  '--typecheck=false',
  `--testNamePattern=^(${names.join('|')}) `,
] as const;

/** The files of all operations and those that they share, relative to the root of the copy. */
const written = new Set(Object.keys(filesFor(parseOperation(getSample))));
beforeAll(() => {
  expectSuccess(copy, 'gen', ...generateGetSample);
  for (const file of others.flatMap((operation) => writeOperation(copy, operation))) written.add(file);
});

it.each([
  ['whose files exist', getSample, 'get-sample.ts exists already'],
  ['whose route exists', { ...getSample, name: 'findSample' }, 'another operation is get there'],
])('changes no file for an operation %s', (_, answers, message) => {
  const before = readFiles();
  expect(() => writeOperation(copy, parseOperation(answers))).toThrow(message);
  expect(readFiles()).toEqual(before);
});

// Both take seconds. That files are left alone is above, and that the tests pass, and how many, below.
describe.runIf(isNightly)('before it is filled in', () => {
  it('fails as a command, too, for an operation that exists', () => {
    const { status, output } = run(copy, 'gen', ...generateGetSample);
    expect(output).toContain('get-sample.ts exists already');
    expect(status).not.toBe(0);
  });

  it('writes tests that fail', () => {
    const { status, output } = runTests('--mode=sqlite');
    expect(status).not.toBe(0);
    expect(output).toMatch(/Tests {2}7 failed/);
  });
});

it('writes no more than 10 files for an operation, so that few are to be read', () => {
  const operation = parseOperation(getSample);
  const edited = editsFor(operation).map(({ file }) => file);
  expect(new Set([...Object.keys(filesFor(operation)), ...edited, 'openapi.json']).size).toBeLessThanOrEqual(
    10,
  );
});

it('leaves at most 40 lines to be written by hand for getSample', () => {
  const lines = getSampleFillIns.flatMap(({ replacement }) => replacement.trim().split('\n'));
  expect(lines.length).toBeLessThanOrEqual(40);
});

describe('operations that are filled in', () => {
  beforeAll(() => fillIn(copy, [...getSampleFillIns, ...others.flatMap(fillInsFor)]));

  // With all their tests, the one of the service alone takes seconds.
  it.runIf(isNightly).each(workspaces)('have correct types in %s', (workspace) => {
    const { status, output } = checkTypes(join(copy, workspace));
    expect(status, output).toBe(0);
  });

  // All files that are written are part of it, and what they import; the service's other tests take half of the time.
  it.runIf(!isNightly)('have correct types', () => {
    const sources = [...written].filter((file) => file.endsWith('.ts'));
    const project = {
      extends: './tsconfig.json',
      include: ['src/**/*.d.ts', ...sources.map((file) => `../../${file}`)],
    };
    writeFileSync(join(copy, 'apps/api/tsconfig.written.json'), JSON.stringify(project));
    const { status, output } = checkTypes(join(copy, 'apps/api'), 'tsconfig.written.json');
    expect(status, output).toBe(0);
  });

  it('have no lint errors', () => {
    const sources = [...written].filter((file) => file.endsWith('.ts'));
    expectSuccess(copy, 'biome', 'check', '--error-on-warnings', ...(isNightly ? workspaces : sources));
  });

  it('are described by a valid OpenAPI document', () => {
    const contract = join(copy, 'packages/contract');
    expectSuccess(contract, 'redocly', 'lint', 'openapi.json');
    expectSuccess(
      contract,
      'vitest',
      'run',
      '--typecheck=false',
      'src/openapi.test.ts',
      'src/errors.test.ts',
    );
  });

  // What is generated knows no engine, and PostgreSQL takes seconds to start: so it is left to the mode `nightly`.
  const tested = isNightly ? ['--project=sqlite', '--project=postgresql'] : ['--mode=sqlite'];
  it(`answer alike in the service${isNightly ? ', on each engine,' : ''} and in the fake plant store, and HEAD where they have GET`, () => {
    const { status, output } = runTests(...tested);
    expect(status, output).toBe(0);
    expect(output).toMatch(isNightly ? /Tests {2}20 passed/ : /Tests {2}7 passed/);
    expectSuccess(join(copy, 'packages/client'), ...testsOfCases, 'src/testing/operation-cases.test.ts');
  });
});

/** Runs the cases of the generated operations on the service, with options for Vitest. */
function runTests(...options: readonly string[]) {
  return run(join(copy, 'apps/api'), ...testsOfCases, ...options, 'test/http/operation-cases.test.ts');
}

/** The texts of all files of the copy, by their paths. */
function readFiles(): Record<string, string> {
  const entries = globSync('**', { cwd: copy, exclude: ['**/node_modules'], withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return Object.fromEntries(paths.map((path) => [path, readFileSync(path, 'utf8')]));
}
