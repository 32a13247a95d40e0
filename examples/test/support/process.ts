import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { until } from './until.ts';

/** How to start a command: the working directory, and the environment besides `PATH` and `HOME`. */
export interface Call {
  readonly folder: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** The result of a command that has exited. */
export interface Result {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that is running. */
export interface RunningCommand {
  /** What it has printed so far, on standard output and on standard error. */
  output(): string;
  /** Resolves with the first match in its output; rejects if it exits before. */
  waitFor(pattern: RegExp): Promise<RegExpExecArray>;
  /** Resolves once it has exited, after sending its process group the signal if there is one. */
  end(signal?: NodeJS.Signals): Promise<Result>;
}

/** Starts a command in a process group of its own, which is killed at the end of the test. */
export function start(
  [file = '', ...args]: readonly string[],
  { folder, environment }: Call,
): RunningCommand {
  const child = spawn(file, args, {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const printed = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    printed.stderr += text;
  });
  const closed = once(child, 'close');
  closed.catch(() => undefined);
  onTestFinished(async () => {
    signalGroup(child, 'SIGKILL');
    await closed.catch(() => undefined);
  });
  const output = () => printed.stdout + printed.stderr;
  return {
    output,
    async waitFor(pattern) {
      return await until(() => {
        const found = pattern.exec(output());
        if (!found && child.exitCode !== null) throw new Error(`It ended before ${pattern}:\n${output()}`);
        return found;
      }, output);
    },
    async end(signal) {
      if (signal) signalGroup(child, signal);
      await closed;
      return { status: child.exitCode, ...printed };
    },
  };
}

/** Runs a command until it exits. */
export function run(command: readonly string[], call: Call): Promise<Result> {
  return start(command, call).end();
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // All of it has ended.
  }
}
