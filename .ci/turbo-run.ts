import { globSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pnpm } from './workspaces.ts';

/** What a task did in one run of Turborepo. */
export interface TaskRun {
  /** Such as `@plant-store/api#test`, or `//#lint:workspace` for one of the root. */
  readonly id: string;
  /** The exit status of its command; `undefined` if it did not run, such as on a cache hit. */
  readonly exitCode: number | undefined;
  /** Of the command; of the whole run where the task has no cache. */
  readonly output: string;
}

/**
 * Runs tasks in all workspaces of a folder that have them, without the tasks that they depend on; one that fails ends no
 * other.
 *
 * @param rest passed on to the commands of the tasks
 * @throws {Error} with the output if Turborepo did not run them
 */
export function runTasks(folder: string, tasks: readonly string[], rest: readonly string[]): TaskRun[] {
  const runs = join(folder, '.turbo/runs');
  rmSync(runs, { recursive: true, force: true });
  const options = ['--only', '--continue=always', '--summarize', ...(rest.length > 0 ? ['--', ...rest] : [])];
  const { output } = pnpm(folder, 'exec', 'turbo', 'run', ...tasks, ...options);
  const [summary] = globSync(join(runs, '*.json'));
  if (summary === undefined) throw new Error(`Turborepo did not run ${tasks.join(', ')}:\n${output}`);
  const { tasks: ran }: Summary = JSON.parse(readFileSync(summary, 'utf8'));
  return ran.map(({ taskId, execution, logFile }) => ({
    id: taskId,
    exitCode: execution?.exitCode,
    // Only tasks with a cache have a log of their own.
    output: logFile === undefined ? output : readFileSync(join(folder, logFile), 'utf8'),
  }));
}

/** What `turbo run --summarize` writes, as far as it is used. */
interface Summary {
  readonly tasks: readonly {
    readonly taskId: string;
    readonly logFile?: string;
    readonly execution?: { readonly exitCode?: number };
  }[];
}
