import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished, vi } from 'vitest';

/**
 * Starts a command in a process group of its own, which is killed at the end of the test.
 *
 * @param call the working directory, and the environment besides `PATH` and `HOME`
 */
export function start(
  [file = '', ...args]: readonly string[],
  { folder, environment }: { folder: string; environment?: Readonly<Record<string, string>> },
) {
  const child = spawn(file, args, {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      printed[name] += text;
    });
  }
  const closed = once(child, 'close');
  closed.catch(() => undefined);
  const signalGroup = (signal: NodeJS.Signals) => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal);
    } catch {} // All of it has ended.
  };
  onTestFinished(async () => {
    signalGroup('SIGKILL');
    await closed.catch(() => undefined);
  });
  /** What it has printed so far, on standard output and on standard error. */
  const output = () => printed.stdout + printed.stderr;
  return {
    output,
    /** Resolves with the first match in its output; rejects if it exits before. */
    async waitFor(pattern: RegExp): Promise<string> {
      const find = () => pattern.exec(output())?.[0];
      const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
      await until(() => hasEnded() || find() !== undefined);
      const found = find();
      if (found === undefined) throw new Error(`It ended before ${pattern}:\n${output()}`);
      return found;
    },
    /** Resolves once it has exited, after sending its process group the signal if there is one. */
    async end(signal?: NodeJS.Signals) {
      if (signal) signalGroup(signal);
      await closed;
      return { status: child.exitCode, ...printed };
    },
  };
}

/** Runs a command until it exits. */
export const run = (...call: Parameters<typeof start>) => start(...call).end();

/** Less than a test may take (`vitest.config.ts`), so that a test that fails reports which condition did not hold. */
const timeoutMs = 240_000;

/** Polls until the condition returns something truthy, and resolves with that; rejects with what it throws. */
export function until<Found>(condition: () => Found | Promise<Found>) {
  return vi.waitUntil(condition, { timeout: timeoutMs, interval: 50 });
}
