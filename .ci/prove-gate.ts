// Proves, in a temporary copy of this checkout, that the commands which guard it can fail: in every workspace a failing
// test, a type error and a lint error each end their command with a status other than 0. Run it after `pnpm validate`,
// whose builds it uses: `node .ci/prove-gate.ts`.
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { listWorkspaces, pnpm, type Workspace } from './workspaces.ts';

/** A file that a command must refuse, whatever the others are like. */
interface Probe {
  readonly task: 'test' | 'typecheck' | 'lint';
  readonly file: string;
  readonly content: string;
  /** What the command prints when it refuses the probe. */
  readonly evidence: string;
  /** What is handed on to the command, so that it looks at this file alone. */
  readonly filter?: string;
}

const name = 'gate-probe';
const probes: readonly Probe[] = [
  {
    task: 'test',
    file: `${name}.test.ts`,
    content: `import { expect, it } from 'vitest';\n\nit('${name} fails', () => expect(1).toBe(2));\n`,
    evidence: 'expected 1 to be 2',
    filter: name,
  },
  {
    task: 'typecheck',
    file: `${name}.ts`,
    content: "export const probe: number = 'a text';\n",
    evidence: 'TS2322',
  },
  { task: 'lint', file: `${name}.ts`, content: 'export const probe: any = 1;\n', evidence: 'noExplicitAny' },
];
/** Where a workspace keeps sources that all three commands look at. */
const sourceFolders = ['src', 'scripts'];
/** What is not copied: it is installed again, or belongs to this checkout alone. */
const leftOut = ['node_modules', '.git', '.turbo', 'data'];

const root = join(import.meta.dirname, '..');
const copy = mkdtempSync(join(tmpdir(), 'plant-store-gate-'));
// The PostgreSQL of the tests may run as another user.
chmodSync(copy, 0o755);
try {
  cpSync(root, copy, { recursive: true, filter: (path) => !leftOut.includes(basename(path)) });
  const installed = pnpm(copy, 'install', '--offline', '--frozen-lockfile');
  if (installed.status !== 0) throw new Error(`The copy cannot be installed:\n${installed.output}`);
  const workspaces = listWorkspaces(copy);
  const passed = workspaces.flatMap((workspace) => probes.flatMap((probe) => prove(workspace, probe)));
  passed.push(...proveRootLint());
  if (passed.length > 0) {
    console.error(`These commands ended with status 0, or failed for another reason:\n${passed.join('\n')}`);
    process.exitCode = 1;
  } else {
    console.log(
      `gate: in all of ${workspaces.length} workspaces a failing test, a type error and a lint error are seen`,
    );
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}

/** Runs a command on a workspace with a probe in it; gives a line for a command that does not refuse the probe. */
function prove(
  { name: workspace, folder }: Workspace,
  { task, file, content, evidence, filter }: Probe,
): string[] {
  const sources = sourceFolders.map((source) => join(folder, source)).find((source) => existsSync(source));
  if (sources === undefined) return [`${workspace}: no folder ${sourceFolders.join(' or ')} for a probe`];
  const path = join(sources, file);
  writeFileSync(path, content);
  try {
    const options = ['--only', `--filter=${workspace}`, ...(filter === undefined ? [] : ['--', filter])];
    const { status, output } = pnpm(copy, 'exec', 'turbo', 'run', task, ...options);
    return status !== 0 && output.includes(evidence)
      ? []
      : [`${workspace}: ${task}, status ${status}\n${output}`];
  } finally {
    rmSync(path);
  }
}

/** The same for the lint of the root's own files. */
function proveRootLint(): string[] {
  const path = join(copy, 'package.json');
  const content = readFileSync(path);
  writeFileSync(path, `${content}\n\n`);
  const { status, output } = pnpm(copy, 'run', 'lint:workspace');
  writeFileSync(path, content);
  return status !== 0 && output.includes('package.json')
    ? []
    : [`the root: lint, status ${status}\n${output}`];
}
