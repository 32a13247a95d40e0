// A vitest reporter that ends a run with status 1 if no test has begun or ended for too long, and prints which tests are running. Also
// prints them every few minutes of a long run. A separate thread watches the time, because a test can block its worker, and a global setup
// the main thread, so that vitest's timeouts do not fire.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeSync } from 'node:fs';
import { relative } from 'node:path';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import type { Reporter, TestCase, TestModule } from 'vitest/node';

/** How long a run may go without a test that begins or ends, in milliseconds. */
const limitMs = 60_000 * Number(process.env['STUCK_AFTER_MINUTES'] ?? 10);
/** How often a long run prints which tests are running, in milliseconds. */
const reportMs = 300_000;

/** How long the main thread may take to end before it is killed, in milliseconds. */
const endMs = 10_000;

/** What the main thread sends whenever a test begins or ends: the running tests, and the longest of their timeouts. */
interface Progress {
  readonly running: readonly string[];
  readonly timeoutMs: number;
}

// biome-ignore lint/style/noDefaultExport: vitest loads a reporter as the default export.
export default class StuckReporter implements Reporter {
  /** The running test files by ID, each with its running tests. */
  readonly #running = new Map<string, { readonly module: TestModule; readonly tests: Set<TestCase> }>();
  readonly #watcher = new Worker(new URL(import.meta.url), {
    workerData: 'watch',
    // The oldest supported Node.js needs these to run TypeScript.
    execArgv: ['--experimental-strip-types', '--disable-warning=ExperimentalWarning'],
  });

  constructor() {
    this.#watcher.on('message', () => process.exit(1));
    this.#watcher.unref();
  }

  onTestModuleQueued(module: TestModule): void {
    this.#running.set(module.id, { module, tests: new Set() });
    this.#report();
  }

  onTestModuleCollected(module: TestModule): void {
    // Replaces the queued module with an object that has its tests.
    this.onTestModuleQueued(module);
  }

  onTestModuleEnd(module: TestModule): void {
    this.#running.delete(module.id);
    this.#report();
  }

  onTestCaseReady(test: TestCase): void {
    this.#running.get(test.module.id)?.tests.add(test);
    this.#report();
  }

  onTestCaseResult(test: TestCase): void {
    this.#running.get(test.module.id)?.tests.delete(test);
    this.#report();
  }

  #report(): void {
    const entries = [...this.#running.values()];
    const timeouts = entries.flatMap(({ tests }) => [...tests].map(({ options }) => options.timeout ?? 0));
    const progress: Progress = {
      running: entries.map(({ module, tests }) => describe(module, [...tests])),
      timeoutMs: Math.max(0, ...timeouts),
    };
    this.#watcher.postMessage(progress);
  }
}

function describe({ project, moduleId, children }: TestModule, running: readonly TestCase[]): string {
  // A test that blocks its worker from its start is not reported as running.
  const shown = running.length > 0 ? running : [...children.allTests('pending')].slice(0, 1);
  const title = shown.map(({ fullName }) => fullName).join(' and ') || 'its imports';
  const file = relative(project.config.root, moduleId);
  return `${[project.name, file].filter((part) => part !== '').join(' ')} > ${title}`;
}

/** Watches the main thread from the worker thread. */
function watch(): void {
  const startedAt = performance.now();
  let last: Progress = { running: [], timeoutMs: 0 };
  let lastAt = startedAt;
  let reportedAt = startedAt;
  parentPort?.on('message', (progress: Progress) => {
    last = progress;
    lastAt = performance.now();
  });
  const describeRun = () =>
    last.running.length === 0
      ? '  no test: a setup or teardown'
      : last.running.map((text) => `  ${text}`).join('\n');
  setInterval(
    () => {
      const now = performance.now();
      if (now - lastAt > Math.max(limitMs, 2 * last.timeoutMs)) {
        const minutes = Math.round((now - lastAt) / 6_000) / 10;
        print(
          `No test has begun or ended for ${minutes} minutes, so this run ends. It is in, or just after:\n${describeRun()}`,
        );
        killDescendants(process.pid);
        parentPort?.postMessage('end');
        setTimeout(() => process.kill(process.pid, 'SIGKILL'), endMs);
        lastAt = Number.POSITIVE_INFINITY;
      } else if (now - reportedAt > reportMs) {
        reportedAt = now;
        print(
          `This run has taken ${Math.round((now - startedAt) / 60_000)} minutes. It is in, or just after:\n${describeRun()}`,
        );
      }
    },
    Math.min(1_000, limitMs / 4),
  );
}

/** Kills the descendants of a process, because they might be unable to end on their own. */
function killDescendants(pid: number): void {
  for (const child of findChildren(pid)) {
    try {
      killDescendants(child);
      process.kill(child, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
}

function findChildren(pid: number): readonly number[] {
  const tasks = `/proc/${pid}/task`;
  // Small Debian images have no `pgrep`.
  const text =
    process.platform === 'linux'
      ? readdirSync(tasks)
          .map((task) => readFileSync(`${tasks}/${task}/children`, 'utf8'))
          .join('')
      : spawnSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' }).stdout;
  return (text.match(/\d+/g) ?? []).map(Number);
}

/** Prints even while the main thread is blocked. */
const print = (text: string) => writeSync(2, `${text}\n`);

if (workerData === 'watch') watch();
