import type { Client } from '@plant-store/client';
import { ensureSuccess, isRejectedError } from '@plant-store/client/unwrap';
import { fieldsOf } from '@plant-store/contract/fields';
import type { StoredPlant } from '@plant-store/contract/operations';
import { explainRejection } from '../../shared/explain-failure.js';
import { inParallel } from '../../shared/in-parallel.js';
import { getWithEtag } from '../get-with-etag.js';

/** What became of a plant. */
export type Tagged =
  | { readonly plant: StoredPlant; readonly reason?: undefined }
  /** It was not corrected: why, in a sentence. */
  | { readonly plant: StoredPlant; readonly reason: string };

interface TagOptions {
  /** The tag that they get; `undefined` for none. */
  readonly tag: string | undefined;
  /** The tag that they must still have, unless any will do. */
  readonly from?: string | undefined;
  readonly signal: AbortSignal;
  onDone(tagged: Tagged): void;
}

/** How often a plant is corrected that somebody else changes meanwhile. */
const attempts = 5;

/** How long to wait after a 429 that does not say, in milliseconds. */
const defaultRetryAfterMs = 10_000;

/**
 * Gives plants a tag, by a correction each, which overwrites nothing that somebody else changes meanwhile. It can be run again after
 * any failure: a plant that has the tag stays as it is. Where the rate limit permits no more, it waits.
 *
 * @throws {RejectedError | PlantStoreError} for what concerns more than one plant, such as the token, the scope or the network
 */
export async function tagPlants(
  client: Pick<Client, 'getPlant' | 'correctPlant'>,
  plants: Iterable<StoredPlant> | AsyncIterable<StoredPlant>,
  { onDone, ...options }: TagOptions,
): Promise<void> {
  await inParallel(plants, async (plant) => {
    onDone(await tagPlant(client, plant, options));
  });
}

async function tagPlant(
  client: Pick<Client, 'getPlant' | 'correctPlant'>,
  { id, ...listed }: StoredPlant,
  { tag, from, signal }: Omit<TagOptions, 'onDone'>,
): Promise<Tagged> {
  for (let attempt = 1; ; attempt++) {
    try {
      const { plant, etag } = await getWithEtag(client, id, { signal });
      const isOther = from !== undefined && plant.tag !== from;
      if (plant.tag === tag || isOther) return { plant };
      const { tag: _, ...others } = fieldsOf(plant);
      const body = { ...others, ...(tag !== undefined && { tag }) };
      const headers = { 'if-match': etag };
      return {
        plant: ensureSuccess(await client.correctPlant({ params: { id }, headers, body, signal })).body,
      };
    } catch (error) {
      if (!isRejectedError(error)) throw error;
      if (error.status === 412 && attempt < attempts) continue;
      const { about, message } = explainRejection(error, 'change');
      if (error.status === 429) await delay(error.retryAfterMs ?? defaultRetryAfterMs, signal);
      else if (about === 'plant') return { plant: { id, ...listed }, reason: message };
      else throw error;
    }
  }
}

function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal.addEventListener('abort', abort, { once: true });
  });
}
