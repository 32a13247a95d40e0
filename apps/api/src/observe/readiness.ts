import type { ErrorName } from '@plant-store/contract/errors';
import { ServiceError } from '@plant-store/records';
import type { Logger } from 'pino';
import * as z from 'zod';
import { shareInFlight, withTimeout } from '../runtime/timing.js';

/** Whether the service accepts creates; if not, the name of the error that it rejects them with. */
export type Readiness =
  | { readonly ready: true; readonly warnings: readonly string[] }
  | { readonly ready: false; readonly reason: ErrorName };

export interface ReadinessDependencies {
  /** Checks that the database would store a record now, and rejects if it would not. */
  check(): Promise<void>;
  /** Returns problems that an operator should know about while the database works. */
  warnings(): readonly string[];
  readonly stopping: AbortSignal;
  readonly log: Logger;
}

/** How long a probe waits for the database, in milliseconds. */
export const answerTimeoutMs = 2_000;

/** How long later probes reuse a result, in milliseconds. */
export const reuseMs = 500;

/** How long to wait for a hanging check before another can start, in milliseconds. Its connection may be lost for good. */
export const abandonMs = 30_000;

/**
 * Creates a function that returns whether the service is ready. The function returns in time whatever the database does, runs only one
 * check at a time however many probes arrive, and logs each change with its cause.
 */
export function createReadiness({
  check,
  warnings,
  stopping,
  log,
}: ReadinessDependencies): () => Promise<Readiness> {
  const checkOnce = shareInFlight(() => waitFor(check(), abandonMs));
  /** The result that probes share until it expires. */
  let result: Promise<Readiness> | undefined;
  /** Why the service was not ready at the last check; `undefined` if it was. */
  let reason: ErrorName | undefined;

  async function runCheck(): Promise<Readiness> {
    try {
      await waitFor(checkOnce(), answerTimeoutMs, stopping);
      if (reason !== undefined) log.info('ready');
      reason = undefined;
    } catch (error) {
      const isKnown = error instanceof ServiceError;
      const newReason = isKnown ? error.errorName : 'database_unavailable';
      const err = (isKnown && error.cause) || error;
      if (newReason !== reason && !stopping.aborted) log.warn({ reason: newReason, err }, 'not ready');
      reason = newReason;
    }
    setTimeout(() => {
      result = undefined;
    }, reuseMs).unref();
    return reason === undefined ? { ready: true, warnings: warnings() } : { ready: false, reason };
  }

  return async function readiness() {
    if (!stopping.aborted) {
      result ??= runCheck();
      const current = await result;
      if (!stopping.aborted) return current;
    }
    return { ready: false, reason: 'shutting_down' };
  };
}

/** Waits for a database check. Rejects after the timeout, or as soon as the signal is aborted. */
function waitFor(check: Promise<void>, timeoutMs: number, signal?: AbortSignal): Promise<void> {
  const onTimeout = () => {
    throw new Error(`The database has not answered for ${timeoutMs} ms`);
  };
  return withTimeout(check, timeoutMs, onTimeout, signal);
}

/** How long to wait for a reply by default, in milliseconds. A running service replies within 2 seconds. */
const defaultTimeoutMs = 5_000;

/** The replies of `/readyz`. */
const ReadinessSchema = z.union([
  z.object({ status: z.literal('ready'), warnings: z.array(z.string()).default([]) }),
  z.object({ status: z.literal('unavailable'), reason: z.string() }),
]);

type ReadinessReply = z.infer<typeof ReadinessSchema>;

/**
 * Asks an admin port whether its service is ready.
 *
 * @param url the URL of `/readyz`
 * @returns the reply; `undefined` if it is not from a Plant Store
 * @throws {Error} if there is no reply in time
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

/** Returns the base URL for reaching a server that listens on an address of this machine. */
export function reachableUrl(host: string, port: number): URL {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return new URL(`http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`);
}
