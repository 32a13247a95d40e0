// Proves that CI can fail: in every workspace of a temporary copy of this checkout, a failing test, a type error and a
// lint error make `test`, `typecheck` and `lint` fail; and so do a type error in .ci, a wrong format of package.json and an
// unused file the commands of the root. All defects of a kind are tried in one run; each task must fail and print its own.
// Run it after `pnpm validate`, whose builds it uses:
//   pnpm exec node .ci/prove-gate.ts
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { runTasks } from './turbo-run.ts';
import { listWorkspaces, pnpm, type Workspace } from './workspaces.ts';

/** A task that must fail because of what a file contains. */
interface Defect {
  /** The name of the package and of the task, as Turborepo writes them. */
  readonly task: string;
  readonly path: string;
  readonly content: string;
  /** All that the task must print. */
  readonly evidence: readonly string[];
}

/** Defects that are tried at once, of which no two are in the files of the same task. */
interface Round {
  readonly tasks: readonly string[];
  readonly defects: readonly Defect[];
  /** Passed to the tasks, so that they check only these files. */
  readonly filter?: string;
}

const name = 'gate-probe';
const typeError = "export const probe: number = 'a text';\n";
/** The folders of a workspace with sources that all three tasks check. */
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
  const passed = planRounds(workspaces).flatMap(prove);
  if (passed.length > 0) {
    console.error(`These tasks succeeded, or failed for another reason:\n${passed.join('\n')}`);
    process.exitCode = 1;
  } else {
    console.log(
      `gate: all ${workspaces.length} workspaces reject a failing test, a type error and a lint error, and the root a type error, a wrong format and an unused file`,
    );
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}

function planRounds(workspaces: readonly Workspace[]): Round[] {
  const manifest = join(copy, 'package.json');
  const inEach = (task: string, file: string, content: string, evidence: string) =>
    workspaces.map((workspace) => createDefect(workspace, task, file, content, evidence));
  return [
    {
      tasks: ['test'],
      defects: inEach(
        'test',
        `${name}.test.ts`,
        `import { expect, it } from 'vitest';\n\nit('${name} fails', () => expect(1).toBe(2));\n`,
        'expected 1 to be 2',
      ),
      filter: name,
    },
    {
      tasks: ['typecheck', '//#typecheck:workspace'],
      defects: [
        ...inEach('typecheck', `${name}.ts`, typeError, 'TS2322'),
        {
          task: '//#typecheck:workspace',
          path: join(copy, '.ci', `${name}.ts`),
          content: typeError,
          evidence: [`.ci/${name}.ts`, 'TS2322'],
        },
      ],
    },
    {
      tasks: ['lint', '//#lint:workspace'],
      defects: [
        ...inEach('lint', `${name}.ts`, 'export const probe: any = 1;\n', 'noExplicitAny'),
        {
          task: '//#lint:workspace',
          path: manifest,
          content: `${readFileSync(manifest, 'utf8')}\n\n`,
          evidence: ['package.json format', 'Formatter would have printed'],
        },
      ],
    },
    {
      tasks: ['//#lint:unused'],
      defects: [
        {
          task: '//#lint:unused',
          path: join(copy, 'packages/contract/src', `${name}.ts`),
          content: 'export const probe = 1;\n',
          evidence: [`packages/contract/src/${name}.ts`],
        },
      ],
    },
  ];
}

/** A file with a defect among the sources of a workspace, which its task must name. */
function createDefect(
  { name: workspace, folder }: Workspace,
  task: string,
  file: string,
  content: string,
  evidence: string,
): Defect {
  const sources = sourceFolders.find((source) => existsSync(join(folder, source)));
  if (sources === undefined) throw new Error(`${workspace}: no ${sourceFolders.join(' or ')} for a probe`);
  const own = join(sources, file);
  return {
    task: `${workspace}#${task}`,
    path: join(folder, own),
    content,
    evidence: [own, evidence],
  };
}

/** Runs the tasks of a round with its defects in place; returns a text for each task that does not reject its own. */
function prove({ tasks, defects, filter }: Round): string[] {
  const originals = defects.map(({ path, content }) => {
    const original = existsSync(path) ? readFileSync(path) : undefined;
    writeFileSync(path, content);
    return { path, original };
  });
  const runs = runTasks(copy, tasks, filter === undefined ? [] : [filter]);
  for (const { path, original } of originals) {
    if (original === undefined) rmSync(path);
    else writeFileSync(path, original);
  }
  return defects.flatMap(({ task, evidence }) => {
    const run = runs.find(({ id }) => id === task);
    const rejected = run !== undefined && run.exitCode !== undefined && run.exitCode !== 0;
    if (rejected && evidence.every((text) => run.output.includes(text))) return [];
    return [`${task}, status ${run?.exitCode}, without: ${evidence.join(', ')}\n${run?.output}`];
  });
}
