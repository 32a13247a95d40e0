// Proves that CI can fail. Adds defects to a temporary copy of this checkout: to each workspace a failing test, a test that never ends, and
// a type error; and where the root's commands look, a type error, a lint error, a wrong format, a wrong import, and an unused file. Each
// must make its command fail and be in its output. A failing part must make .ci/run fail, too. Run it after `pnpm build`, whose builds it
// uses:
//   pnpm exec node .ci/prove-gate.ts
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { listWorkspaces, pnpm, type Workspace } from './workspaces.ts';

/** A file with a mistake, and a pattern for the output that reports the mistake. */
interface Defect {
  readonly path: string;
  readonly content: string;
  readonly evidence: RegExp;
}

const name = 'gate-probe';
const test = `import { expect, it } from 'vitest';\n\nit('${name} fails', () => expect(1).toBe(2));\n`;
/** A loop of microtasks, during which vitest's timeouts never fire. */
const endless = `import { it } from 'vitest';\n\nit('${name} never ends', async () => { for (;;) await undefined; });\n`;
const typeError = "export const probe: number = 'a text';\n";
/** Not copied, because it is installed again or belongs only to this checkout. */
const excluded = ['node_modules', '.git', '.turbo', 'data'];

// Longer than a global setup takes while tests that never end keep every core busy.
process.env['STUCK_AFTER_MINUTES'] = '1.5';

const root = join(import.meta.dirname, '..');
const copy = mkdtempSync(join(tmpdir(), 'plant-store-gate-'));
// The tests' PostgreSQL runs as another user if this process runs as root.
chmodSync(copy, 0o755);
try {
  cpSync(root, copy, { recursive: true, filter: (path) => !excluded.includes(basename(path)) });
  const installed = pnpm(copy, 'install', '--offline', '--frozen-lockfile');
  if (installed.status !== 0) throw new Error(`The copy cannot be installed:\n${installed.output}`);
  const problems = proveAll();
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
  else
    console.log(
      'gate: every failing and every endless test, type error, lint error, wrong format and unused file is rejected',
    );
} finally {
  rmSync(copy, { recursive: true, force: true });
}

/** Returns a message for each defect that its command does not report. */
function proveAll(): string[] {
  const workspaces = listWorkspaces(copy);
  const hasTask =
    (task: string) =>
    ({ folder }: Workspace) =>
      JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).scripts[task] !== undefined;
  const inEach = (task: string, file: string, content: string, evidence: string): Defect[] =>
    workspaces.filter(hasTask(task)).map(({ name: workspace, folder }) => {
      const sources = ['src', 'scripts'].find((source) => existsSync(join(folder, source)));
      if (sources === undefined) throw new Error(`${workspace}: no folder for a probe`);
      const line = new RegExp(`^${workspace}:${task}: .*${evidence}`, 'm');
      return { path: join(folder, sources, file), content, evidence: line };
    });
  const turbo = (task: string, ...rest: string[]) => [
    'exec',
    'turbo',
    'run',
    task,
    '--continue=always',
    ...rest,
  ];
  const inFile = (path: string, content: string, evidence: RegExp) => [
    { path: join(copy, path), content, evidence },
  ];
  const manifest = `${readFileSync(join(copy, 'package.json'), 'utf8')}\n\n`;
  const source = `packages/contract/src/${name}.ts`;
  const types = 'packages/contract/src/types.ts';
  const renamedTypes = readFileSync(join(copy, types), 'utf8').replaceAll(/^ {2}name: /gm, '  title: ');
  return [
    ...prove(
      turbo('test', '--only', '--', name),
      inEach('test', `${name}.test.ts`, test, 'expected 1 to be 2'),
    ),
    ...prove(
      turbo('test', '--only', '--', name),
      inEach('test', `${name}.test.ts`, endless, `${name}\\.test\\.ts > ${name} never ends`),
    ),
    ...prove(
      ['run', 'typecheck'],
      [
        ...inEach('typecheck', `${name}.ts`, typeError, 'TS2322'),
        ...inFile(`.ci/${name}.ts`, typeError, new RegExp(`^\\.ci/${name}.*TS2322`, 'm')),
      ],
    ),
    // A field that is renamed in the contract must be an error in the API and in the client.
    ...prove(
      turbo('typecheck', '--only'),
      inFile(
        types,
        renamedTypes,
        /(?=.*api:typecheck: src\/resources\.test\.ts)(?=.*client:typecheck: src\/create-client\.test-d\.ts)/s,
      ),
    ),
    ...prove(['run', 'lint'], inFile(source, 'export const probe: any = 1;\n', /noExplicitAny/)),
    ...prove(['run', 'lint'], inFile('package.json', manifest, /package\.json format/)),
    ...prove(['run', 'lint'], inFile(source, 'export const probe = 1;\n', new RegExp(source))),
    ...prove(
      ['exec', 'node', '.ci/check-imports.ts'],
      inFile(source, "import '../../../apps/api/src/config.js';\n", /Packages do not depend on apps/),
    ),
    ...proveParts(),
  ];
}

/** Checks that a failing part makes `.ci/run` fail, and that the other parts run anyway. */
function proveParts(): string[] {
  const run = join(copy, '.ci/run');
  const original = readFileSync(run, 'utf8');
  const parts = 'sound) true ;; broken) false && true ;; last) true ;;';
  writeFileSync(run, original.replace('case $1 in\n', `case $1 in\n${parts}\n`));
  const args = [run, 'sound', 'broken', 'last'];
  const { status, stdout, stderr } = spawnSync('bash', args, { cwd: copy, encoding: 'utf8' });
  writeFileSync(run, original);
  const isExpected =
    status !== 0 &&
    ['sound succeeded', 'broken failed', 'last succeeded'].every((text) => stdout.includes(text));
  return isExpected ? [] : [`.ci/run ended with status ${status}:\n${stdout}${stderr}`];
}

/** Runs a pnpm command with defects in place. Returns a message for each defect that the command does not report. */
function prove(command: readonly string[], defects: readonly Defect[]): string[] {
  const originals = defects.map(({ path, content }) => {
    const original = existsSync(path) ? readFileSync(path) : undefined;
    writeFileSync(path, content);
    return { path, original };
  });
  const { status, output } = pnpm(copy, ...command);
  for (const { path, original } of originals) {
    if (original === undefined) rmSync(path);
    else writeFileSync(path, original);
  }
  const shown = `pnpm ${command.join(' ')} ended with status ${status}`;
  if (status === 0) return [`${shown} despite ${defects.map(({ path }) => path).join(', ')}`];
  return defects
    .filter(({ evidence }) => !evidence.test(output))
    .map(({ path }) => `${shown} without a word of ${path}:\n${output.slice(-3_000)}`);
}
