import type { Config } from '../config.js';
import { messageOf, OperatorError } from '../errors/operator-error.js';
import { fetchReadiness, reachableUrl } from '../observe/readiness.js';
import { type CliContext, type JsonOption, toJsonLine } from './cli-context.js';

/**
 * Asks the admin port of a running service whether it is ready for creates, and prints the answer, with `--json` as `/readyz` gives it.
 *
 * @param adminUrl the URL of the admin port, such as `http://127.0.0.1:3001`
 * @param timeoutMs how long to wait for a reply, in milliseconds
 * @throws {OperatorError} when it is not ready, does not reply, or is no Plant Store
 */
export async function requireReady(
  adminUrl: URL,
  { json = false }: JsonOption,
  context: Pick<CliContext, 'message' | 'print'>,
  timeoutMs?: number,
): Promise<void> {
  const url = new URL('/readyz', adminUrl);
  const readiness = await fetchReadiness(url, timeoutMs).catch((error: unknown) => {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    throw new OperatorError(
      `${url} does not reply: ${messageOf(cause)}\nStart the service with ADMIN_PORT, or pass the URL of its admin port as --url.`,
      { cause: error },
    );
  });
  if (readiness === undefined)
    throw new OperatorError(
      `${url} is not the health check of a Plant Store. Pass the URL of its admin port.`,
    );
  if (json) context.print(toJsonLine(readiness));
  if (readiness.status !== 'ready') throw new OperatorError(`The service is not ready: ${readiness.reason}.`);
  for (const warning of readiness.warnings) await context.message(warning);
  if (!json) context.print('ready\n');
}

/**
 * The URL of the admin port that a service with this configuration has.
 *
 * @throws {OperatorError} when it has none, or any free one
 */
export function adminUrlOf({ admin }: Config): URL {
  if (admin === undefined || admin.port === 0)
    throw new OperatorError(
      'There is no admin port to ask: set ADMIN_PORT as for the service, or pass its URL as --url.',
      { exitCode: 2 },
    );
  return reachableUrl(admin.host, admin.port);
}
