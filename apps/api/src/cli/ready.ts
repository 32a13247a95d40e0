import * as z from 'zod';
import type { Config } from '../config.js';
import { messageOf } from '../errors/message-of.js';
import { OperatorError } from '../errors/operator-error.js';
import type { CliContext } from './support/cli-context.js';

/** How long to wait for a reply, in milliseconds; a service that runs replies within 2 seconds. */
const timeoutMs = 5_000;

/** The replies of `/readyz`. */
const ReadinessSchema = z.union([
  z.object({ status: z.literal('ready'), warnings: z.array(z.string()).default([]) }),
  z.object({ status: z.literal('unavailable'), reason: z.string() }),
]);

/**
 * Asks the admin port of a running service whether it is ready for creates, and prints the answer.
 *
 * @param adminUrl the URL of the admin port, such as `http://127.0.0.1:3001`
 * @throws {OperatorError} when it is not ready, does not reply, or is no Plant Store
 */
export async function requireReady(adminUrl: URL, context: CliContext): Promise<void> {
  const readiness = await fetchReadiness(adminUrl);
  if (readiness.status !== 'ready') throw new OperatorError(`The service is not ready: ${readiness.reason}.`);
  for (const warning of readiness.warnings) await context.message(warning);
  context.print('ready\n');
}

async function fetchReadiness(adminUrl: URL): Promise<z.infer<typeof ReadinessSchema>> {
  const url = new URL('/readyz', adminUrl);
  let reply: unknown;
  try {
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) });
    reply = await response.json();
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw noReply(url, error);
  }
  const { success, data } = ReadinessSchema.safeParse(reply);
  if (success) return data;
  throw new OperatorError(`${url} is not the health check of a Plant Store. Pass the URL of its admin port.`);
}

function noReply(url: URL, error: unknown): OperatorError {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return new OperatorError(
    `${url} does not reply: ${messageOf(cause)}\nStart the service with ADMIN_PORT, or pass the URL of its admin port as --url.`,
    { cause: error },
  );
}

/**
 * The URL of the admin port that a service with this configuration has.
 *
 * @throws {OperatorError} when it has none, or any free one
 */
export function adminUrlOf({ admin }: Config): URL {
  if (admin === undefined || admin.port === 0) {
    throw new OperatorError(
      'There is no admin port to ask: set ADMIN_PORT as for the service, or pass its URL as --url.',
      { exitCode: 2 },
    );
  }
  return new URL(`http://${reachableHost(admin.host)}:${admin.port}`);
}

/** The host to connect to for an address that a server listens on. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
