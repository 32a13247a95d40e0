import { type ChildProcess, execFile } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { scopes } from '@plant-store/contract/access-token';
import { hasEnded, killGroup, processEnd, startProgram, waitUntil } from './programs.js';

const run = promisify(execFile);

/** The built service. */
const mainPath = fileURLToPath(new URL('../../../../apps/api/dist/main.js', import.meta.url));

type Settings = Readonly<Record<string, string>>;

/** Returns the environment of the service. It inherits nothing, so that the defaults are the same on every machine. */
const environmentOf = (settings: Settings) => ({
  NODE_ENV: 'production',
  PATH: '/usr/bin:/bin',
  ...settings,
});

/**
 * Runs `plant-store`, and returns its output.
 *
 * @throws {Error} with the output if the command fails
 */
export async function runPlantStore(args: readonly string[], settings: Settings): Promise<string> {
  const options = { env: environmentOf(settings), maxBuffer: Number.POSITIVE_INFINITY };
  return (await run(process.execPath, [mainPath, ...args], options)).stdout;
}

/** The scopes of the tokens: all operations on the records of all resources. */
export const recordScopes = scopes.filter((scope) => scope !== 'admin');

/**
 * Issues an access token in a database and returns it.
 *
 * @param expires the lifetime, such as `30s`, or `never`
 */
export async function issueToken(settings: Settings, name = 'proof', expires = 'never'): Promise<string> {
  const options = ['--name', name, '--expires', expires, '--can', recordScopes.join()];
  return (await runPlantStore(['token', 'create', ...options], settings)).trim();
}

/** How to start the service. */
export interface ServiceOptions {
  /** The value of `DATABASE_URL`. */
  readonly databaseUrl: string;
  /** The file for the service's output. Replaces an existing file. */
  readonly logFile: string;
  /**
   * Settings such as `WORKERS`. `LOG_LEVEL` must include the line that reports the URL. By default, the service uses any free port, and
   * stops without a delay.
   */
  readonly settings: Settings;
}

/** The built service, in a separate process. */
export class Service {
  /** The service's URL, such as `http://127.0.0.1:3000`. Empty until the service has started. */
  baseUrl = '';
  /** The ID of the service's process. With workers, the ID of the primary process, which is their parent. */
  readonly pid: number;
  /** Resolves once the service listens. Rejects with the service's output if it ends first, or does not listen in time. */
  readonly started: Promise<this>;
  private readonly child: ChildProcess;

  constructor(private readonly options: ServiceOptions) {
    const { databaseUrl, logFile, settings } = options;
    const output = openSync(logFile, 'w');
    this.child = startProgram(process.execPath, [mainPath, 'serve'], {
      env: environmentOf({ PORT: '0', DRAIN_DELAY_MS: '0', DATABASE_URL: databaseUrl, ...settings }),
      stdio: ['ignore', output, output],
    });
    closeSync(output);
    this.pid = this.child.pid ?? 0;
    this.started = this.start();
    // Avoids an unhandled rejection if the caller kills the service without awaiting `started`.
    this.started.catch(() => undefined);
  }

  /** Returns the service's output so far. */
  readLog(): string {
    return readFileSync(this.options.logFile, 'utf8');
  }

  hasEnded(): boolean {
    return hasEnded(this.child);
  }

  /** Sends a signal to the service's process, and resolves with the exit status once the process has ended. */
  kill(signal: NodeJS.Signals): Promise<number | null> {
    this.child.kill(signal);
    return processEnd(this.child);
  }

  /** Kills the service and its workers, even before it listens, and resolves once the main process has ended. */
  async killAll(): Promise<void> {
    killGroup(this.child);
    await processEnd(this.child);
  }

  private async start(): Promise<this> {
    const checkStarted = () => {
      const ended = this.hasEnded();
      const text = this.readLog();
      this.baseUrl = /"baseUrl":"([^"]+)"/.exec(text)?.[1] ?? '';
      if (ended && this.baseUrl === '') throw new Error(`The service ended before it listened:\n${text}`);
      return this.baseUrl !== '';
    };
    await waitUntil(checkStarted, 'the service listens', { describe: () => this.readLog() });
    return this;
  }
}
