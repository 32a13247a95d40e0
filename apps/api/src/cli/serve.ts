import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { defaultScopes } from '@plant-store/contract/access-token';
import { withArticle } from '@plant-store/contract/resource';
import type { Logger } from 'pino';
import { logTokenChange, type TokenService, type Verification } from '../auth/token-service.js';
import type { Config } from '../config.js';
import { messageOf, OperatorError } from '../errors/operator-error.js';
import { allocateYoung } from '../http/fast-path.js';
import { openLog } from '../observe/logger.js';
import { docsPath } from '../package-folder.js';
import { type Service, startService } from '../service.js';
import type { CliContext } from './cli-context.js';
import { quote } from './file-access.js';
import { recordTypes } from './formats.js';
import { createCurl } from './token.js';

/**
 * How long the service accepts requests after a stop signal by default, in milliseconds: two health checks at HAProxy's default interval of
 * 2 seconds, and a second more.
 */
export const defaultDrainDelayMs = 5_000;

export interface ServeOptions {
  /** Whether to ensure that a file contains an access token, and print how to use the token. */
  readonly quickstart?: boolean;
  /** Whether to stop once the process that started this one has ended. */
  readonly stopWithParent?: boolean;
}

/**
 * Runs the service until a signal stops it. Resolves once the last reply is sent and the database is closed. All output goes through the
 * log, which never waits for its reader. Its lines are JSON, or readable text on a terminal.
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
  const { workers } = config;
  const { isTerminal } = context;
  const {
    log,
    print,
    close: closeLog,
  } = await openLog(config.logLevel, { isTerminal, isShared: workers > 1 });
  for (const setting of config.warnings) log.warn(setting, 'a setting was not applied as specified');
  // A closed terminal sends SIGHUP, which must stop the service.
  const replacesOnHangUp = workers > 1 && !context.isTerminal;
  const signalled = context.waitForStopSignal({ hangUp: !replacesOnHangUp }).then((signal) => ({ signal }));
  const parentEnded = async () => {
    await context.waitForParentExit();
    return { parentEnded: true };
  };
  const stopCause = stopWithParent ? Promise.race([signalled, parentEnded()]) : signalled;
  // Without an admin port no load balancer would notice the delay, and on a terminal a person is waiting.
  const { drainDelayMs = config.admin && !context.isTerminal ? defaultDrainDelayMs : 0 } = config;
  const service = await start(config, readConfig, log, replacesOnHangUp ? context.onHangUp : undefined);
  const { baseUrl, adminUrl, appliedMigrations } = service;
  const tokenFile = quickstart ? resolve(context.folder, 'data/access-token') : undefined;
  try {
    if (tokenFile !== undefined) {
      const token = await ensureQuickstartToken(service.accessTokens, tokenFile, log);
      const greeting = describeQuickstart(
        baseUrl,
        tokenFile,
        config.pageFolder === undefined ? undefined : token,
      );
      // Only on a terminal, because a log reader expects only JSON on standard output.
      if (context.isTerminal) print(greeting);
      else void context.message(greeting);
    }
    log.info(
      { baseUrl, adminUrl, appliedMigrations, tokenFile, ...(workers > 1 && { workers }) },
      'listening',
    );
    context.reportStarted().catch((error: unknown) => log.warn({ err: error }, 'could not notify systemd'));
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
  log: Logger,
  onHangUp: CliContext['onHangUp'] | undefined,
): Promise<Service> {
  if (config.workers === 1) return startService(config, log);
  // Loaded only if needed, because most services have one process.
  const { startCluster } = await import('../cluster/start-cluster.js');
  const starting = startCluster(config, log);
  onHangUp?.(() => {
    log.info('replacing workers');
    // A cluster that fails to start is reported elsewhere.
    starting.then((cluster) => cluster.replaceWorkers(readConfig)).catch(() => undefined);
  });
  return starting;
}

/**
 * Ensures that the file contains a valid access token for the quickstart: the existing token or a new one. Only this user can read the file
 * (0600). A token is issued only once its file can be written.
 *
 * @throws {OperatorError} if the file cannot be read or written
 */
export async function ensureQuickstartToken(
  accessTokens: TokenService,
  file: string,
  log: Pick<Logger, 'info'>,
): Promise<string> {
  const existing = orExplain(file, () => (existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined));
  if (existing !== undefined && hasDefaultScopes(await accessTokens.verify(existing))) return existing;

  const draft = `${file}.${process.pid}`;
  orExplain(file, () => {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    rmSync(draft, { force: true });
    writeFileSync(draft, '', { flag: 'wx', mode: 0o600 });
  });
  try {
    const { secret, token } = await accessTokens.issue({ name: 'quickstart' });
    logTokenChange(log, 'created', token, 'command line');
    orExplain(file, () => {
      writeFileSync(draft, `${secret}\n`);
      renameSync(draft, file);
    });
    return secret;
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

function orExplain<Result>(file: string, action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    throw new OperatorError(
      `The access token file ${file} cannot be used: ${messageOf(error)}\nGive this user read and write access to it, or start the service in another folder.`,
      { cause: error },
    );
  }
}

/** Whether a token is valid and has as many scopes as a new token. A token from before scopes were introduced has fewer. */
function hasDefaultScopes(verification: Verification): boolean {
  return (
    verification.status === 'valid' &&
    (verification.token ?? verification).scopes.length >= defaultScopes.length
  );
}

/**
 * Describes how to use the service: the addresses, and a `curl` command to paste, which reads the token from its file.
 *
 * @param pageToken the token for the link to the page; `undefined` if there is no page. The link contains it in the URL's fragment, which
 * browsers do not send
 */
function describeQuickstart(baseUrl: string, tokenFile: string, pageToken: string | undefined): string {
  const page = pageToken === undefined ? '' : `  page   ${baseUrl}/#token=${pageToken}\n`;
  return `
Plant Store is listening on ${baseUrl}

${page}  API    ${baseUrl}/docs
  token  ${tokenFile}

Store ${withArticle(recordTypes[0].resource.name)} (for a Windows terminal, see ${docsPath('docs/use/api.md')}):

${createCurl(baseUrl, `$(cat ${quote(tokenFile)})`)}

`;
}
