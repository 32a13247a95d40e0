import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable, type Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type Client, createClient } from '@plant-store/client';
import { expect } from 'vitest';
import { parseConfig } from '../../../src/config.js';
import { openDatabase } from '../../../src/store/open-database.js';
import { insertToken } from '../database/insert-token.js';
import { onFinished } from '../on-finished.js';
import { temporaryFolder } from '../temporary-folder.js';

/** The built command, which `turbo run test` builds first. */
export const main = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));

/**
 * The environment of each command, beside what a test sets. `global-setup.ts` sets where compiled code is kept, and
 * Vitest where the coverage of child processes is written (`pnpm test:on coverage` alone sets it).
 */
const inherited = {
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
  NODE_V8_COVERAGE: process.env['NODE_V8_COVERAGE'],
};

/** How to call the command line: the working directory, and the environment besides `PATH`. */
export interface Call {
  readonly folder: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Its standard input; empty by default. */
  readonly input?: Readable;
  /** The limit on its file descriptors; that of the test by default. */
  readonly openFiles?: number;
}

/** The result of a command that has exited. */
export interface Result {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const toMatcher = (text: string | RegExp) => (text instanceof RegExp ? expect.stringMatching(text) : text);

/** The result of a command that succeeds, with these texts as its output, or ones that match. */
export function succeeded(stdout: string | RegExp, stderr: string | RegExp = ''): Result {
  return { exitCode: 0, stdout: toMatcher(stdout), stderr: toMatcher(stderr) };
}

/** The result of an import without bad lines. */
export const imported = (count: number, alreadyThere = 0) =>
  succeeded('', `${count} imported, ${alreadyThere} already there, 0 bad\n`);

/** The result of a command that fails, with this text on standard error, or one that matches. */
export function failed(stderr: string | RegExp, stdout: string | RegExp = '', exitCode = 1): Result {
  return { exitCode, stdout: toMatcher(stdout), stderr: toMatcher(stderr) };
}

/** A command that is running. */
export type RunningCommand = ReturnType<typeof watchCommand>;

/** Starts `plant-store` with these arguments in a new process. */
export function startCommand(
  args: readonly string[],
  { folder, environment = {}, input = Readable.from([]), openFiles }: Call,
): RunningCommand {
  const node = [process.execPath, main, ...args] as const;
  const limited = ['sh', '-c', `ulimit -n ${openFiles} && exec "$@"`, 'sh', ...node] as const;
  const [file, ...rest] = openFiles === undefined ? node : limited;
  const child = spawn(file, rest, { cwd: folder, env: { ...inherited, ...environment } });
  // It may exit before it has read everything.
  child.stdin.on('error', () => input.destroy());
  input.pipe(child.stdin);
  return watchCommand(child);
}

/** Starts Node.js with these arguments and variables, without its warnings: version 22 announces that it strips types. */
export function startNode(args: readonly string[], variables: NodeJS.ProcessEnv = {}): RunningCommand {
  const env = { PATH: process.env['PATH'], NODE_NO_WARNINGS: '1', ...variables };
  return watchCommand(spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] }));
}

/** Collects the output of a process, and kills it at the end of the test at the latest. */
export function watchCommand(child: ChildProcessByStdio<Writable | null, Readable, Readable>) {
  let stdout = '';
  let stderr = '';
  let printed = Promise.withResolvers<void>();
  function onPrinted(): void {
    printed.resolve();
    printed = Promise.withResolvers();
  }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    onPrinted();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    onPrinted();
  });
  // Unlike its exit code, this also holds after a signal, and only once all output is read.
  let hasClosed = false;
  const ended = once(child, 'close').finally(() => {
    hasClosed = true;
  });
  // A failing test must not leave a process behind.
  onFinished(() => child.kill('SIGKILL'));

  return {
    process: child,
    /** Resolves with the first match in its standard output, or in its standard error. */
    async waitFor(pattern: RegExp): Promise<RegExpExecArray> {
      for (;;) {
        const match = pattern.exec(stdout) ?? pattern.exec(stderr);
        if (match !== null) return match;
        if (hasClosed) throw new Error(`It exited before it printed ${pattern}:\n${stdout}${stderr}`);
        await Promise.race([printed.promise, ended]);
      }
    },
    /** Resolves once it has exited, after sending it the signal if there is one. */
    async end(signal?: NodeJS.Signals): Promise<Result> {
      if (signal !== undefined) child.kill(signal);
      await ended;
      return { exitCode: child.exitCode, stdout, stderr };
    },
  };
}

/** Runs `plant-store` until it exits. */
export function runCommand(args: readonly string[], call: Call): Promise<Result> {
  return startCommand(args, call).end();
}

/** Issues an access token, and returns it. A short timeout of the environment is for the service, not for this. */
export async function issueToken({ folder, environment = {} }: Call): Promise<string> {
  const { DATABASE_STATEMENT_TIMEOUT_MS: _, ...settings } = environment;
  const { database: location } = parseConfig(settings, folder);
  // This creates the tables.
  await (await openDatabase(location)).close();
  return insertToken(location);
}

/** Starts `plant-store serve` on a free port, and returns its URLs once it listens. */
export async function startServe(call: Call, args: readonly string[] = []) {
  const command = startCommand(['serve', ...args], {
    ...call,
    environment: { PORT: '0', DRAIN_DELAY_MS: '0', ...call.environment },
  });
  const listening = /"baseUrl":"([^"]+)"(?:,"adminUrl":"([^"]+)")?.*"msg":"listening"/;
  const [, baseUrl = '', adminUrl = ''] = await command.waitFor(listening);
  return { command, baseUrl, adminUrl };
}

/** A service on a store of its own, with a token for it and a client that never retries. */
interface Store extends Awaited<ReturnType<typeof startServe>> {
  readonly folder: string;
  readonly token: string;
  readonly client: Client;
}

/** Does so on the store of a folder, by default a new one. */
export async function startStore(
  environment: Readonly<Record<string, string>> = {},
  folder: string = temporaryFolder(),
): Promise<Store> {
  const call = { folder, environment };
  const token = await issueToken(call);
  const service = await startServe(call);
  const client = createClient({ baseUrl: service.baseUrl, token, retries: 0 });
  return { folder, ...service, token, client };
}
