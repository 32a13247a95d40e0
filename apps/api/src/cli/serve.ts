import { resolve } from 'node:path';
import type { Config } from '../config.js';
import { createLogger } from '../logging/create-logger.js';
import { allocateYoung, limitHeapGrowth } from '../runtime/v8-flags.js';
import { startService } from '../start-service.js';
import type { CliContext } from './support/cli-context.js';
import { describeQuickstart, ensureQuickstartToken } from './support/quickstart.js';

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
 */
export async function serve(
  config: Config,
  { quickstart = false, stopWithParent = false }: ServeOptions,
  context: CliContext,
): Promise<void> {
  if (config.fastPath) {
    limitHeapGrowth();
    allocateYoung();
  }
  const {
    log,
    requestLog,
    print,
    close: closeLog,
  } = createLogger(
    config.logLevel,
    context.isTerminal ? (await import('../logging/format-for-terminal.js')).formatForTerminal : undefined,
  );
  const stopCause = waitForStop(context, stopWithParent);
  // Without an admin port no load balancer could notice, and at a terminal a person is waiting.
  const { drainDelayMs = config.admin && !context.isTerminal ? defaultDrainDelayMs : 0 } = config;
  const service = await startService(config, log, config.fastPath ? requestLog : log);
  const { baseUrl, adminUrl, appliedMigrations } = service;
  try {
    log.info({ baseUrl, adminUrl, appliedMigrations }, 'listening');
    context.reportStarted().catch((error: unknown) => log.warn({ err: error }, 'systemd was not notified'));
    if (quickstart) {
      const tokenFile = resolve(context.folder, 'data/access-token');
      const token = await ensureQuickstartToken(service.accessTokens, tokenFile);
      print(describeQuickstart(baseUrl, tokenFile, config.pageFolder === undefined ? undefined : token));
    }
    log.info({ ...(await stopCause), drainDelayMs }, 'stopping');
    await service.drain(drainDelayMs);
  } finally {
    const inTime = await service.stop();
    log.info({ inTime }, 'stopped');
    await closeLog();
  }
}

/** Resolves with why to stop, as it is logged. */
function waitForStop(
  context: CliContext,
  stopWithParent: boolean,
): Promise<{ readonly signal: NodeJS.Signals } | { readonly parentEnded: true }> {
  const signalled = context.stopSignal().then((signal) => ({ signal }));
  if (!stopWithParent) return signalled;
  return Promise.race([
    signalled,
    context.startingProcessEnded().then(() => ({ parentEnded: true }) as const),
  ]);
}
