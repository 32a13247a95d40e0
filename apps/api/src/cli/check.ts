import {
  configurationItems,
  type Environment,
  findMisspelled,
  type Settings,
} from '../check/configuration.js';
import { type Finding, failure, formatFinding, formatJson, inspectAll, worstOf } from '../check/finding.js';
import type { Config } from '../config.js';
import { ConfigurationError, OperatorError } from '../errors/operator-error.js';
import { type CliContext, countOf, type JsonOption } from './cli-context.js';

/**
 * Examines an installation before or while it runs, changes nothing, and prints each finding as it is made, or all as JSON.
 *
 * @throws {OperatorError} after that, when there is an error: with exit status 2 for invalid settings, otherwise 1
 */
export async function check(
  { readConfig, environment }: { readConfig(): Config; readonly environment: Environment },
  { json = false }: JsonOption,
  context: CliContext,
): Promise<void> {
  let examined: AsyncGenerator<Finding>;
  let exitCode: 1 | 2 = 1;
  try {
    examined = examine({ config: readConfig(), environment, folder: context.folder }, Date.now);
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
  const summary = `${countOf(count('error'), 'error')}, ${countOf(count('warning'), 'warning')}`;
  if (worstOf(findings) === 'error') throw new OperatorError(`The check found ${summary}.`, { exitCode });
  if (!json) await context.message(summary);
}

/**
 * Yields each finding as it is made. Only the code of the engine is loaded.
 *
 * @param now returns the time of this machine, in milliseconds since the epoch
 */
export async function* examine(settings: Settings, now: () => number): AsyncGenerator<Finding> {
  yield* inspectAll(configurationItems, settings);
  const { database, jwt, pageFolder } = settings.config;
  const tokens = { now, acceptsJwts: jwt !== undefined, servesPage: pageFolder !== undefined };
  if (database.engine === 'sqlite') {
    const { inspectSqlite } = await import('../check/sqlite.js');
    yield* inspectSqlite(database, tokens);
  } else {
    const { inspectPostgresql } = await import('../check/postgresql.js');
    yield* inspectPostgresql(database, tokens);
  }
}

/** What can be examined without a valid configuration: every invalid setting, and those that are misspelled. */
function examineInvalid({ issues }: ConfigurationError, environment: Environment): AsyncGenerator<Finding> {
  const configuration = () => [...issues.map((issue) => failure(issue)), ...findMisspelled(environment)];
  return inspectAll({ configuration }, undefined);
}
