// Proves that CI can fail: in every workspace of a temporary copy of this checkout, a failing test, a type error and a
// lint error make `test`, `typecheck` and `lint` fail; and so do a type error in .ci, a wrong format of package.json and an
// unused file the commands of the root. Run it after `pnpm validate`, whose builds it uses:
//   pnpm exec node .ci/prove-gate.ts
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { listWorkspaces, pnpm, type Workspace } from './workspaces.ts';

/** A file that a command must reject. */
interface Probe {
  readonly task: 'test' | 'typecheck' | 'lint';
  readonly file: string;
  readonly content: string;
  /** What the command prints when it rejects the probe. */
  readonly evidence: string;
  /** Passed to the command, so that it checks only this file. */
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
/** The folders of a workspace with sources that all three commands check. */
const sourceFolders = ['src', 'scripts'];
/** Not copied, since it is installed again or belongs to this checkout only. */
const excluded = ['node_modules', '.git', '.turbo', 'data'];

const root = join(import.meta.dirname, '..');
const copy = mkdtempSync(join(tmpdir(), 'plant-store-gate-'));
// The PostgreSQL of the tests may run as another user.
chmodSync(copy, 0o755);
try {
  cpSync(root, copy, { recursive: true, filter: (path) => !excluded.includes(basename(path)) });
  const installed = pnpm(copy, 'install', '--offline', '--frozen-lockfile');
  if (installed.status !== 0) throw new Error(`The copy cannot be installed:\n${installed.output}`);
  const workspaces = listWorkspaces(copy);
  const passed = workspaces.flatMap((workspace) => probes.flatMap((probe) => prove(workspace, probe)));
  passed.push(...proveRoot());
  if (passed.length > 0) {
    console.error(`These commands succeeded, or failed for another reason:\n${passed.join('\n')}`);
    process.exitCode = 1;
  } else {
    console.log(
      `gate: all ${workspaces.length} workspaces reject a failing test, a type error and a lint error, and the root a type error, a wrong format and an unused file`,
    );
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}

/** Runs a command on a workspace with a probe in it; returns a line if the command does not reject the probe. */
function prove(
  { name: workspace, folder }: Workspace,
  { task, file, content, evidence, filter }: Probe,
): string[] {
  const sources = sourceFolders.map((source) => join(folder, source)).find((source) => existsSync(source));
  if (sources === undefined) return [`${workspace}: no ${sourceFolders.join(' or ')} folder for a probe`];
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

/** Does the same for each command of the root. */
function proveRoot(): string[] {
  const manifest = join(copy, 'package.json');
  return [
    ...proveRootCommand(
      'lint:workspace',
      manifest,
      `${readFileSync(manifest, 'utf8')}\n\n`,
      'Formatter would have printed',
    ),
    ...proveRootCommand(
      'typecheck:workspace',
      join(copy, '.ci', `${name}.ts`),
      "export const probe: number = 'a text';\n",
      'TS2322',
    ),
    ...proveRootCommand(
      'lint:unused',
      join(copy, 'packages/contract/src', `${name}.ts`),
      'export const probe = 1;\n',
      `${name}.ts`,
    ),
  ];
}

/** Runs a command of the root with a probe in place of a file; returns a line if the command does not reject the probe. */
function proveRootCommand(command: string, path: string, content: string, evidence: string): string[] {
  const original = existsSync(path) ? readFileSync(path) : undefined;
  writeFileSync(path, content);
  const { status, output } = pnpm(copy, 'run', command);
  if (original === undefined) rmSync(path);
  else writeFileSync(path, original);
  return status !== 0 && output.includes(evidence)
    ? []
    : [`the root: ${command}, status ${status}\n${output}`];
}
