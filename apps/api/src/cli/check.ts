import { type Finding, formatFinding, formatJson, worstOf } from '../check/finding.js';
import { runCheck, runCheckWithoutConfig } from '../check/run-check.js';
import type { Environment } from '../check/settings.js';
import type { Config } from '../config.js';
import { ConfigurationError, OperatorError } from '../errors/operator-error.js';
import { type CliContext, countOf } from './cli-context.js';

/**
 * Examines an installation before or while it runs, changes nothing, and prints each finding as it is made, or all as JSON.
 *
 * @throws {OperatorError} after that, when there is an error: with exit status 2 for invalid settings, otherwise 1
 */
export async function check(
  { readConfig, environment }: { readConfig(): Config; readonly environment: Environment },
  { json = false }: { readonly json?: boolean },
  context: CliContext,
): Promise<void> {
  let config: Config | ConfigurationError;
  try {
    config = readConfig();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    config = error;
  }
  const findings: Finding[] = [];
  for await (const finding of config instanceof ConfigurationError
    ? runCheckWithoutConfig(config, environment)
    : runCheck({ config, environment, folder: context.folder, now: Date.now })) {
    findings.push(finding);
    if (!json) context.print(formatFinding(finding));
  }
  if (json) context.print(formatJson(findings));
  const count = (status: string) => findings.filter((finding) => finding.status === status).length;
  const summary = `${countOf(count('error'), 'error')}, ${countOf(count('warning'), 'warning')}`;
  if (worstOf(findings) === 'error') {
    throw new OperatorError(`The check found ${summary}.`, {
      exitCode: config instanceof ConfigurationError ? 2 : 1,
    });
  }
  if (!json) await context.message(summary);
}
