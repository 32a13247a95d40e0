import { resolve } from 'node:path';
import type { Config } from '../config.js';
import { createLogger, type Log } from '../observe/logger.js';
import { allocateYoung } from '../runtime/v8-flags.js';
import { type Service, startService } from '../service.js';
import type { CliContext } from './cli-context.js';
import { describeQuickstart, ensureQuickstartToken } from './quickstart.js';

/**
 * How long the service still accepts requests after a signal, by default, in milliseconds: two health checks, with HAProxy's
 * default interval of 2 seconds, and a second more.
 */
export const defaultDrainDelayMs = 5_000;

/** The options of `plant-store serve`. */
export interface ServeOptions {
  /** Whether to ensure an access token in a file, and print how to use it. */
  readonly quickstart?: boolean;
  /** Whether to stop once the process that started this one has ended. */
  readonly stopWithParent?: boolean;
}

/**
 * Runs the service until a signal stops it; resolves once the last reply is sent and the database is closed. All output
 * goes through the log, which does not wait for its reader; its lines are JSON, or on a terminal for a person.
 *
 * @param readConfig reads the settings: at the start, and again when a SIGHUP replaces the workers
 */
export async function serve(
  readConfig: () => Config,
  { quickstart = false, stopWithParent = false }: ServeOptions,
  context: CliContext,
): Promise<void> {
  const config = readConfig();
  if (config.fastPath) allocateYoung();
  const logger = createLogger(config.logLevel, {
    format: context.isTerminal
      ? (await import('../observe/format-for-terminal.js')).formatForTerminal
      : undefined,
    isShared: config.workers > 1,
  });
  const { log, print, close: closeLog } = logger;
  const { workers } = config;
  const stopCause = waitForStop(config, context, stopWithParent);
  // Without an admin port no load balancer could notice, and at a terminal a person is waiting.
  const { drainDelayMs = config.admin && !context.isTerminal ? defaultDrainDelayMs : 0 } = config;
  const service = await start(config, readConfig, logger, context);
  const { baseUrl, adminUrl, appliedMigrations } = service;
  try {
    if (quickstart) {
      const tokenFile = resolve(context.folder, 'data/access-token');
      const token = await ensureQuickstartToken(service.accessTokens, tokenFile);
      print(describeQuickstart(baseUrl, tokenFile, config.pageFolder === undefined ? undefined : token));
    }
    log.info({ baseUrl, adminUrl, appliedMigrations, ...(workers > 1 && { workers }) }, 'listening');
    context.reportStarted().catch((error: unknown) => log.warn({ err: error }, 'systemd was not notified'));
    log.info({ ...(await stopCause), drainDelayMs }, 'stopping');
    await service.drain(drainDelayMs);
  } finally {
    const inTime = await service.stop();
    log.info({ inTime }, 'stopped');
    await closeLog();
  }
}

/** Starts the service in this process, or in workers, which a SIGHUP then replaces. */
async function start(
  config: Config,
  readConfig: () => Config,
  { log, requestLog }: Log,
  context: CliContext,
): Promise<Service> {
  if (config.workers === 1)
    return startService(config, log, { requestLog: config.fastPath ? requestLog : log });
  // Loaded only here: most services have one process.
  const { startCluster } = await import('../cluster/start-cluster.js');
  const starting = startCluster(config, log);
  if (replacesOnHangUp(config, context)) {
    context.onHangUp(() => {
      log.info('replacing workers');
      // A cluster that does not start is reported elsewhere.
      starting.then((cluster) => cluster.replaceWorkers(readConfig)).catch(() => undefined);
    });
  }
  return starting;
}

/** Whether SIGHUP replaces the workers; a terminal sends it when it is closed, and it stops the service then. */
function replacesOnHangUp({ workers }: Config, { isTerminal }: CliContext): boolean {
  return workers > 1 && !isTerminal;
}

/** Resolves with why to stop, as it is logged. */
function waitForStop(
  config: Config,
  context: CliContext,
  stopWithParent: boolean,
): Promise<{ readonly signal: NodeJS.Signals } | { readonly parentEnded: true }> {
  const signalled = context
    .stopSignal({ hangUp: !replacesOnHangUp(config, context) })
    .then((signal) => ({ signal }));
  if (!stopWithParent) return signalled;
  return Promise.race([
    signalled,
    context.startingProcessEnded().then(() => ({ parentEnded: true }) as const),
  ]);
}
