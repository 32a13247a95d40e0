import {
  type Client,
  createClient,
  errors,
  type Fetch,
  isNetworkError,
  isPlantStoreError,
  isTimeoutError,
  type ReplyOf,
} from '@plant-store/client';
import { RejectedError } from '@plant-store/client/unwrap';
import type { NewPlant } from '@plant-store/contract';
import { explainError, explainRejection } from '../../../shared/explain-failure.js';
import type { Stop } from '../../protocol.js';

/** What came of sending a plant. A stop is not about the plant, whose outcome stays open. */
export type Outcome =
  | { readonly kind: 'stored' | 'replayed' }
  | { readonly kind: 'rejected'; readonly error: number; readonly reason: string }
  | { readonly kind: 'stopped'; readonly stop: Stop; readonly retry: Retry };

/** When to go on after a stop: after some milliseconds, after a growing delay, or only when the person says so. */
export type Retry = number | 'backoff' | 'never';

/** Sends a plant, with the retries of the client. It never rejects, unless the signal is aborted. */
export type Sender = (plant: NewPlant, signal: AbortSignal) => Promise<Outcome>;

/** Where plants are sent to. */
export interface Target {
  readonly baseUrl: string;
  readonly token: string;
  readonly fetch?: Fetch;
  readonly retries?: number;
}

/** @throws {TypeError} when the token cannot be one */
export function createSender(target: Target): Sender {
  const client: Client = createClient(target);
  return async (plant, signal) => {
    try {
      return toOutcome(await client.createPlant({ body: plant, signal }));
    } catch (error) {
      signal.throwIfAborted();
      return toStop(error);
    }
  };
}

/** The errors that are about the plant alone (API: Errors); all others would meet the next plant as well. */
const ofPlant: readonly number[] = [errors.invalid_plant, errors.id_taken, errors.body_too_large].map(
  ({ error }) => error,
);

function toOutcome(reply: ReplyOf<'createPlant'>): Outcome {
  if (reply.status === 200) return { kind: reply.replayed ? 'replayed' : 'stored' };
  const { error, message: reason } = reply.body;
  if (ofPlant.includes(error)) return { kind: 'rejected', error, reason };
  const rejection = new RejectedError(reply);
  const { message, cause } = explainRejection(rejection);
  const retry = rejection.retryAfterMs ?? 'backoff';
  switch (reply.status) {
    case 400:
      return stopped('service', message, 'never');
    case 401:
    case 403:
      return stopped('token', message, 'never');
    case 429:
      return stopped('rate', cause, retry);
    case 503:
      // Without Retry-After a retry does not help (API: Errors, database_damaged).
      return retry === 'backoff' ? stopped('overload', message, 'never') : stopped('overload', cause, retry);
    default:
      return stopped('service', `${cause} The request id is ${reply.requestId}.`, retry);
  }
}

function toStop(error: unknown): Outcome {
  const { message, cause } = explainError(error);
  if (isNetworkError(error)) return stopped('network', cause, 'backoff');
  if (isTimeoutError(error)) return stopped('timeout', cause, 'backoff');
  return isPlantStoreError(error)
    ? stopped('unexpected', cause, 'backoff')
    : stopped('unexpected', message, 'never');
}

function stopped(cause: Stop['cause'], message: string, retry: Retry): Outcome {
  return { kind: 'stopped', stop: { cause, message }, retry };
}
