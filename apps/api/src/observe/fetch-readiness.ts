import * as z from 'zod';

/** How long to wait for a reply by default, in milliseconds; a service that runs replies within 2 seconds. */
const defaultTimeoutMs = 5_000;

/** The replies of `/readyz`. */
const ReadinessSchema = z.union([
  z.object({ status: z.literal('ready'), warnings: z.array(z.string()).default([]) }),
  z.object({ status: z.literal('unavailable'), reason: z.string() }),
]);

/** What `/readyz` of a running service replies. */
type ReadinessReply = z.infer<typeof ReadinessSchema>;

/**
 * Asks an admin port whether its service is ready.
 *
 * @param url that of `/readyz`
 * @param timeoutMs how long to wait for a reply, in milliseconds
 * @returns its reply; `undefined` when it is not that of a Plant Store
 * @throws {Error} when there is no reply in time
 */
export async function fetchReadiness(
  url: URL,
  timeoutMs = defaultTimeoutMs,
): Promise<ReadinessReply | undefined> {
  let reply: unknown;
  try {
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) });
    reply = await response.json();
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return ReadinessSchema.safeParse(reply).data;
}

/** The base URL to reach a server at that listens on an address of this machine. */
export function reachableUrl(host: string, port: number): URL {
  return new URL(`http://${reachableHost(host)}:${port}`);
}

function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
