import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { hasEnded, killAll, processEnd, startProcess } from './start-process.js';

/** Only a start that hangs takes this long, even on a busy machine. */
const startTimeoutMs = 120_000;
const pollMs = 10;

/** How to start the service. */
export interface ServiceOptions {
  /** The value of `DATABASE_URL`. */
  readonly databaseUrl: string;
  /** The file that gets its output; an existing one is replaced. */
  readonly logFile: string;
  /** Its settings, such as `WORKERS`; `LOG_LEVEL` must leave in the line that it listens. Unless they are here, `PORT` is any free one and there is no delay when it stops. */
  readonly settings: Readonly<Record<string, string>>;
  /** Another build of the service than that of the repository. */
  readonly program?: string;
}

/** A service that listens. */
export interface RunningService {
  /** Such as `http://127.0.0.1:3000`. */
  readonly baseUrl: string;
  readonly port: number;
  /** The id of its process; with workers, that of the primary process, whose children they are. */
  readonly pid: number;
  /** All that it has printed so far. */
  readLog(): string;
  /** Whether it has ended. */
  hasEnded(): boolean;
  /** Sends a signal, SIGKILL by default, and resolves once the process has ended, with its exit status. */
  kill(signal?: NodeJS.Signals): Promise<number | null>;
  /** Kills it and its workers at once, and resolves once its process has ended. */
  killAll(): Promise<void>;
}

/** A service that is starting. */
export interface LaunchedService {
  /**
   * Resolves once it listens.
   *
   * @throws {Error} with its output if it ends before, or does not listen in time
   */
  readonly started: Promise<RunningService>;
  /** Kills it and its workers at once, whether it listens already or not, and resolves once its process has ended. */
  killAll(): Promise<void>;
}

/** Starts the built service, and resolves once it listens, as `started` of `launchService`. */
export function startService(options: ServiceOptions): Promise<RunningService> {
  return launchService(options).started;
}

/** Starts the built service, and returns at once. */
export function launchService(options: ServiceOptions): LaunchedService {
  const { databaseUrl, logFile, settings, program } = options;
  const environment = { PORT: '0', DRAIN_DELAY_MS: '0', DATABASE_URL: databaseUrl, ...settings };
  const output = openSync(logFile, 'w');
  const child = startProcess(['serve'], { environment, output, ...(program !== undefined && { program }) });
  closeSync(output);
  const readLog = () => readFileSync(logFile, 'utf8');
  const kill = async () => {
    killAll(child);
    await processEnd(child);
  };
  const started = readBaseUrl(child, readLog).then((baseUrl) => ({
    baseUrl,
    port: Number(new URL(baseUrl).port),
    pid: child.pid ?? 0,
    readLog,
    hasEnded: () => hasEnded(child),
    kill(signal: NodeJS.Signals = 'SIGKILL') {
      child.kill(signal);
      return processEnd(child);
    },
    killAll: kill,
  }));
  // Whoever kills it does not wait for it to start.
  started.catch(() => undefined);
  return { started, killAll: kill };
}

/** Waits for the line in which the service logs its URL. */
async function readBaseUrl(child: ChildProcess, readLog: () => string): Promise<string> {
  const deadline = performance.now() + startTimeoutMs;
  while (performance.now() < deadline) {
    const ended = hasEnded(child);
    const text = readLog();
    const baseUrl = /"baseUrl":"([^"]+)"/.exec(text)?.[1];
    if (baseUrl !== undefined) return baseUrl;
    if (ended) throw new Error(`The service ended before it listened:\n${text}`);
    await delay(pollMs);
  }
  killAll(child);
  throw new Error(`The service did not listen within ${startTimeoutMs / 1000} seconds:\n${readLog()}`);
}
