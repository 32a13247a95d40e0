import type { ErrorName } from '@plant-store/contract/errors';
import type { Logger } from 'pino';
import { ServiceError } from '../errors/service-error.js';

/** Whether the service takes creates; if not, why, by the name of the error that they are refused with. */
export type Readiness =
  | { readonly ready: true; readonly warnings: readonly string[] }
  | { readonly ready: false; readonly reason: ErrorName };

/** What readiness depends on. */
export interface ReadinessDependencies {
  /** Asks the database whether it would store a plant now, and rejects when it would not. */
  check(): Promise<void>;
  /** What an operator should know while the database works. */
  warnings(): readonly string[];
  /** Aborted once the service is told to stop. */
  readonly stopping: AbortSignal;
  readonly log: Logger;
}

/** How long the database has to answer, in milliseconds. */
export const answerTimeoutMs = 2_000;

/** How long its answer is passed on to later probes, in milliseconds. */
export const reuseMs = 500;

/** After how long a check that still hangs is given up for another one, since its connection may be lost for good. */
export const abandonMs = 30_000;

/**
 * Gives a function that tells whether the service is ready. It answers in time whatever the database does, and asks
 * it one thing at a time however many probes come. The log has each change, with its cause.
 */
export function createReadiness({
  check,
  warnings,
  stopping,
  log,
}: ReadinessDependencies): () => Promise<Readiness> {
  /** The check that the database has not answered yet. */
  let checking: Promise<void> | undefined;
  /** What probes are told: from the moment that the first of them asks until the answer is too old. */
  let answer: Promise<Readiness> | undefined;
  /** Why the service was not ready when it was last asked; `undefined` when it was. */
  let reason: ErrorName | undefined;

  async function ask(): Promise<Readiness> {
    try {
      checking ??= within(abandonMs, check()).finally(() => {
        checking = undefined;
      });
      await within(answerTimeoutMs, checking, stopping);
      if (reason !== undefined) log.info('ready');
      reason = undefined;
    } catch (error) {
      const newReason = error instanceof ServiceError ? error.errorName : 'database_unavailable';
      if (newReason !== reason && !stopping.aborted) {
        log.warn({ reason: newReason, err: causeOf(error) }, 'not ready');
      }
      reason = newReason;
    }
    setTimeout(() => {
      answer = undefined;
    }, reuseMs).unref();
    return reason === undefined ? { ready: true, warnings: warnings() } : { ready: false, reason };
  }

  return async function readiness() {
    if (!stopping.aborted) {
      answer ??= ask();
      const known = await answer;
      if (!stopping.aborted) return known;
    }
    return { ready: false, reason: 'shutting_down' };
  };
}

/** Settles as the promise does, but rejects once the time is over, or as soon as the signal is aborted. */
function within(timeoutMs: number, promise: Promise<void>, signal?: AbortSignal): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    const giveUp = () => reject(new Error(`The database has not answered for ${timeoutMs} ms`));
    const timer = setTimeout(giveUp, timeoutMs);
    signal?.addEventListener('abort', giveUp);
    promise.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
    });
  });
}

function causeOf(error: unknown): unknown {
  return error instanceof ServiceError ? (error.cause ?? error) : error;
}
