import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** The build, as operators run it; `turbo run test` builds it first. */
export const main = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));

/** How the command line is called: in which folder, with which settings besides `PATH`. */
export interface Call {
  readonly folder: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** What it reads from standard input; nothing by default. */
  readonly input?: Readable;
  /** How many file descriptors it may have; as many as the test by default. */
  readonly openFiles?: number;
}

/** What a command that has ended left behind. */
export interface Result {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that is running. */
export interface RunningCommand {
  readonly process: ChildProcess;
  /** Resolves with the first match in what it has written to standard output, now or later. */
  waitFor(pattern: RegExp): Promise<RegExpExecArray>;
  /** Resolves once it has ended, by itself or by the signal given. */
  end(signal?: NodeJS.Signals): Promise<Result>;
}

/** Runs `plant-store` with the arguments given, in a process of its own. */
export function startCommand(
  args: readonly string[],
  { folder, environment = {}, input = Readable.from([]), openFiles }: Call,
): RunningCommand {
  const node = [process.execPath, main, ...args] as const;
  const limited = ['sh', '-c', `ulimit -n ${openFiles} && exec "$@"`, 'sh', ...node] as const;
  const [file, ...rest] = openFiles === undefined ? node : limited;
  const child = spawn(file, rest, {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // It may end before it has read all.
  child.stdin.on('error', () => input.destroy());
  input.pipe(child.stdin);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = once(child, 'close');
  // A test that fails leaves no process behind.
  onTestFinished(() => void child.kill('SIGKILL'));

  return {
    process: child,
    async waitFor(pattern) {
      for (;;) {
        const match = pattern.exec(stdout);
        if (match !== null) return match;
        if (child.exitCode !== null)
          throw new Error(`It ended before it wrote ${pattern}:\n${stdout}${stderr}`);
        await Promise.race([once(child.stdout, 'data'), ended]);
      }
    },
    async end(signal) {
      if (signal !== undefined) child.kill(signal);
      await ended;
      return { exitCode: child.exitCode, stdout, stderr };
    },
  };
}

/** Runs `plant-store` to its end. */
export function runCommand(args: readonly string[], call: Call): Promise<Result> {
  return startCommand(args, call).end();
}

/** Starts `plant-store serve` on a free port and gives its address once it listens. */
export async function startServe(call: Call, args: readonly string[] = []) {
  const command = startCommand(['serve', ...args], {
    ...call,
    environment: { PORT: '0', ...call.environment },
  });
  const [, baseUrl = ''] = await command.waitFor(/"baseUrl":"([^"]+)"/);
  return { command, baseUrl };
}
