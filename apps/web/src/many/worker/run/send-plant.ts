import {
  type Client,
  createClient,
  type Fetch,
  isNetworkError,
  isPlantStoreError,
  isTimeoutError,
  type ReplyOf,
} from '@plant-store/client';
import type { NewPlant } from '@plant-store/contract';
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
      return explainError(error);
    }
  };
}

function toOutcome(reply: ReplyOf<'createPlant'>): Outcome {
  if (reply.status === 200) return { kind: reply.replayed ? 'replayed' : 'stored' };
  const { error, message } = reply.body;
  const retryAfter = Number(reply.headers.get('retry-after') ?? Number.NaN);
  const retry = Number.isNaN(retryAfter) ? 'backoff' : retryAfter * 1000;
  switch (reply.status) {
    case 400:
      return { kind: 'rejected', error, reason: message };
    case 401:
    case 403:
      return stopped('token', `The service does not accept the token: ${message}`, 'never');
    case 429:
      return stopped('rate', 'The service takes no more plants with this token for now.', retry);
    case 503:
      // Without Retry-After a retry does not help (API: Errors, database_damaged).
      return stopped(
        'overload',
        `The service stores nothing at the moment: ${message}`,
        Number.isNaN(retryAfter) ? 'never' : retry,
      );
    default:
      return stopped('service', `The service had an error: ${message} (request ${reply.requestId})`, retry);
  }
}

function explainError(error: unknown): Outcome {
  if (isNetworkError(error)) {
    return stopped('network', 'The service cannot be reached. Check the connection.', 'backoff');
  }
  if (isTimeoutError(error)) return stopped('timeout', 'The service does not answer in time.', 'backoff');
  const message = error instanceof Error ? error.message : String(error);
  if (isPlantStoreError(error)) {
    return stopped(
      'unexpected',
      `Something other than the service answered, such as a proxy. ${message}`,
      'backoff',
    );
  }
  return stopped('unexpected', `The plant could not be sent: ${message}`, 'never');
}

function stopped(cause: Stop['cause'], message: string, retry: Retry): Outcome {
  return { kind: 'stopped', stop: { cause, message }, retry };
}
