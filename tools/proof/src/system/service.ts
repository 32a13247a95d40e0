import { type ChildProcess, execFile } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { scopes } from '@plant-store/contract/access-token';
import { hasEnded, killGroup, processEnd, startProgram, until } from './programs.js';

const run = promisify(execFile);

/** The build of the service, as operators run it. */
const main = fileURLToPath(new URL('../../../../apps/api/dist/main.js', import.meta.url));

type Settings = Readonly<Record<string, string>>;

/** The environment of the service. Nothing is inherited, so that every machine uses the same defaults. */
const environmentOf = (settings: Settings) => ({
  NODE_ENV: 'production',
  PATH: '/usr/bin:/bin',
  ...settings,
});

/**
 * Runs `plant-store` to its end, and returns its output.
 *
 * @throws {Error} with its output if it fails
 */
export async function commandOutput(args: readonly string[], settings: Settings): Promise<string> {
  const options = { env: environmentOf(settings), maxBuffer: Number.POSITIVE_INFINITY };
  return (await run(process.execPath, [main, ...args], options)).stdout;
}

/** The scopes of tokens: everything with the records of all resources. */
export const recordScopes = scopes.filter((scope) => scope !== 'admin');

/**
 * Issues an access token in a database and returns it.
 *
 * @param expires such as `30s`; never by default
 */
export async function issueToken(settings: Settings, name = 'proof', expires = 'never'): Promise<string> {
  const options = ['--name', name, '--expires', expires, '--can', recordScopes.join()];
  return (await commandOutput(['token', 'create', ...options], settings)).trim();
}

/** How to start the service. */
export interface ServiceOptions {
  /** The value of `DATABASE_URL`. */
  readonly databaseUrl: string;
  /** The file for its output; an existing one is replaced. */
  readonly logFile: string;
  /**
   * Its settings, such as `WORKERS`. `LOG_LEVEL` must include the line that reports that it listens. By default, `PORT` is any free one,
   * and there is no delay when it stops.
   */
  readonly settings: Settings;
}

/** The built service, in a separate process. */
export class Service {
  /** Such as `http://127.0.0.1:3000`, once it has started. */
  baseUrl = '';
  /** The id of its process; with workers, that of the primary process, which is their parent. */
  readonly pid: number;
  /**
   * Resolves once it listens.
   *
   * @throws {Error} with its output if it ends first, or does not listen in time
   */
  readonly started: Promise<this>;
  private readonly child: ChildProcess;

  constructor(private readonly options: ServiceOptions) {
    const { databaseUrl, logFile, settings } = options;
    const output = openSync(logFile, 'w');
    this.child = startProgram(process.execPath, [main, 'serve'], {
      env: environmentOf({ PORT: '0', DRAIN_DELAY_MS: '0', DATABASE_URL: databaseUrl, ...settings }),
      stdio: ['ignore', output, output],
    });
    closeSync(output);
    this.pid = this.child.pid ?? 0;
    this.started = this.start();
    // A caller that kills it does not wait for the start.
    this.started.catch(() => undefined);
  }

  /** Its output so far. */
  readLog(): string {
    return readFileSync(this.options.logFile, 'utf8');
  }

  hasEnded(): boolean {
    return hasEnded(this.child);
  }

  /** Sends a signal to its process, and resolves with the exit status once the process has ended. */
  kill(signal: NodeJS.Signals): Promise<number | null> {
    this.child.kill(signal);
    return processEnd(this.child);
  }

  /** Kills it and its workers at once, whether it listens yet or not, and resolves once its process has ended. */
  async killAll(): Promise<void> {
    killGroup(this.child);
    await processEnd(this.child);
  }

  private async start(): Promise<this> {
    const hasStarted = () => {
      const ended = this.hasEnded();
      const text = this.readLog();
      this.baseUrl = /"baseUrl":"([^"]+)"/.exec(text)?.[1] ?? '';
      if (ended && this.baseUrl === '') throw new Error(`The service ended before it listened:\n${text}`);
      return this.baseUrl !== '';
    };
    await until(hasStarted, 'the service listens', { describe: () => this.readLog() });
    return this;
  }
}
