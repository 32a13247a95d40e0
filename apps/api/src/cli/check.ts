import {
  type Environment,
  findMisspelled,
  inspectConfiguration,
  type Settings,
} from '../check/configuration.js';
import { type Finding, failure, formatFinding, formatJson, inspect, worstOf } from '../check/finding.js';
import type { Config } from '../config.js';
import { ConfigurationError, messageOf, OperatorError } from '../errors/operator-error.js';
import { fetchReadiness, reachableUrl } from '../observe/readiness.js';
import { type CliContext, countOf, type JsonOption, toJsonLine } from './cli-context.js';

/**
 * Examines an installation before or while it runs, changes nothing, and prints each finding immediately, or all findings as JSON.
 *
 * @throws {OperatorError} after printing, if there is an error: with exit status 2 for invalid settings, otherwise 1
 */
export async function check(
  { readConfig, environment }: { readConfig(): Config; readonly environment: Environment },
  { json = false }: JsonOption,
  context: CliContext,
): Promise<void> {
  let examined: AsyncGenerator<Finding>;
  let exitCode: 1 | 2 = 1;
  try {
    examined = examine({ config: readConfig(), environment });
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    examined = examineInvalid(error, environment);
    exitCode = 2;
  }
  const findings: Finding[] = [];
  for await (const finding of examined) {
    findings.push(finding);
    if (!json) context.print(formatFinding(finding));
  }
  if (json) context.print(formatJson(findings));
  const count = (status: string) => findings.filter((finding) => finding.status === status).length;
  const summary = `${countOf(count('error'), 'error')} and ${countOf(count('warning'), 'warning')}`;
  if (worstOf(findings) === 'error') throw new OperatorError(`The check found ${summary}.`, { exitCode });
  if (!json) await context.message(summary);
}

/** Yields each finding immediately. Loads only the code of the configured engine. */
export async function* examine(settings: Settings): AsyncGenerator<Finding> {
  yield* inspectConfiguration(settings);
  const { database, jwt, pageFolder } = settings.config;
  const tokens = { acceptsJwts: jwt !== undefined, servesPage: pageFolder !== undefined };
  if (database.engine === 'sqlite') {
    const { inspectSqlite } = await import('../check/sqlite.js');
    yield* inspectSqlite(database, tokens);
  } else {
    const { inspectPostgresql } = await import('../check/postgresql.js');
    yield* inspectPostgresql(database, tokens);
  }
}

/** Examines what does not need a valid configuration: invalid and misspelled settings. */
function examineInvalid({ issues }: ConfigurationError, environment: Environment): AsyncGenerator<Finding> {
  return inspect('configuration', () => [
    ...issues.map((issue) => failure(issue)),
    ...findMisspelled(environment),
  ]);
}

/**
 * Asks a running service's admin port whether the service is ready for creates, and prints the answer. With `--json`, prints it as
 * `/readyz` returns it.
 *
 * @throws {OperatorError} if the service is not ready, does not reply, or is not a Plant Store
 */
export async function requireReady(
  adminUrl: URL,
  { json = false }: JsonOption,
  context: Pick<CliContext, 'message' | 'print'>,
): Promise<void> {
  const url = new URL('/readyz', adminUrl);
  const readiness = await fetchReadiness(url).catch((error: unknown) => {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    throw new OperatorError(
      `${url} is not responding: ${messageOf(cause)}\nStart the service with ADMIN_PORT set, or pass the URL of its admin port with --url.`,
      { cause: error },
    );
  });
  if (readiness === undefined)
    throw new OperatorError(
      `${url} is not a Plant Store health check. Pass the URL of the service's admin port.`,
    );
  if (json) context.print(toJsonLine(readiness));
  if (readiness.status !== 'ready') throw new OperatorError(`The service is not ready: ${readiness.reason}.`);
  for (const warning of readiness.warnings) await context.message(warning);
  if (!json) context.print('ready\n');
}

/**
 * Returns the URL of the admin port of a service with this configuration.
 *
 * @throws {OperatorError} if there is no admin port, or if its port is chosen at startup
 */
export function adminUrlOf({ admin }: Config): URL {
  if (admin === undefined || admin.port === 0)
    throw new OperatorError(
      'The admin port is unknown. Set ADMIN_PORT to the value that the service uses, or pass the URL of the admin port with --url.',
      { exitCode: 2 },
    );
  return reachableUrl(admin.host, admin.port);
}
