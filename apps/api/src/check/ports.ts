import { createServer } from 'node:http';
import type { Config } from '../config.js';
import { messageOf } from '../errors/operator-error.js';
import { listen } from '../http/listen.js';
import { fetchReadiness, reachableUrl } from '../observe/fetch-readiness.js';
import { failure, type Item, ok, type Result, warning } from './finding.js';

/** How long a server that has the port may take to reply, in milliseconds. */
const timeoutMs = 5_000;

/** Whether the service could listen, or already does. */
export const ports: Item<{ readonly config: Config }> = {
  name: 'ports',
  inspect: async ({ config: { host, port, admin } }) => [
    await inspectPort(host, port, '', describePublic),
    ...(admin ? [await inspectPort(admin.host, admin.port, 'ADMIN_', describeAdmin)] : []),
  ],
};

/**
 * Listens on a port for a moment.
 *
 * @param describeOwner describes the running service that has the port; resolves with `undefined` if it is another
 * program
 */
async function inspectPort(
  host: string,
  port: number,
  prefix: '' | 'ADMIN_',
  describeOwner: (baseUrl: URL) => Promise<Result | undefined>,
): Promise<Result> {
  const name = `${prefix}PORT ${port}`;
  const server = createServer();
  try {
    await listen(server, host, port, prefix);
    return ok(port === 0 ? `${name}: any free one` : `${name} is free`);
  } catch (error) {
    const owner = isTaken(error) && (await describeOwner(reachableUrl(host, port)).catch(() => undefined));
    return owner || failure(messageOf(error));
  } finally {
    server.close();
  }
}

function isTaken(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE';
}

/** Recognizes a Plant Store by its OpenAPI document. */
async function describePublic(baseUrl: URL): Promise<Result | undefined> {
  const response = await fetch(new URL('/openapi.json', baseUrl), {
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
  });
  const document = (await response.json()) as { readonly info?: { readonly title?: unknown } } | null;
  if (document?.info?.title !== 'Plant Store') return undefined;
  return ok(`PORT ${baseUrl.port} is held by a Plant Store that is running`);
}

async function describeAdmin(baseUrl: URL): Promise<Result | undefined> {
  const readiness = await fetchReadiness(new URL('/readyz', baseUrl));
  if (readiness === undefined) return undefined;
  const found = `ADMIN_PORT ${baseUrl.port} is held by a Plant Store that is running`;
  if (readiness.status !== 'ready') {
    return warning(`${found}, and not ready: ${readiness.reason}`, 'Its log has the cause.');
  }
  const [problem] = readiness.warnings;
  if (problem !== undefined)
    return warning(`${found}, and ready, but warns: ${problem}`, 'Its log has the cause.');
  return ok(`${found}, and ready`);
}
