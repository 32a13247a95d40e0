import {
  type Changes,
  type Client,
  type Edit,
  isEditConflict,
  isRejectedError,
  saveEdit,
  startEdit,
} from '@plant-store/client';
import type { StoredPlant } from '@plant-store/contract/operations';
import { explainRejection } from '../../shared/explain-failure.js';
import { inParallel } from '../../shared/in-parallel.js';

/** What became of a plant. */
export type Tagged =
  | {
      readonly plant: StoredPlant;
      /** What it was before and what names it since, where it was edited. */
      readonly before?: StoredPlant;
      readonly etag?: string;
      readonly reason?: undefined;
    }
  /** It was not edited: why, in a sentence. */
  | { readonly plant: StoredPlant; readonly reason: string };

interface TagOptions {
  /** The tag that they get; `undefined` for none. */
  readonly tag: string | undefined;
  /** The tag that they must still have, unless any will do. */
  readonly from?: string | undefined;
  readonly signal: AbortSignal;
  onDone(tagged: Tagged): void;
}

interface RestoreOptions {
  /** What names each plant as a tagging made it, by its id. */
  readonly etags: ReadonlyMap<bigint, string>;
  /** Called with the plant as it is again; without one where it was changed after the tagging, or deleted, and stays so. */
  onDone(id: bigint, plant: StoredPlant | undefined): void;
}

/** How often a plant is edited that somebody else changes meanwhile. */
const attempts = 5;

/** How long an edit that was sent may take once the others are cancelled, so that it is known what an undo has to undo. */
const lastReplyMs = 5_000;

/** How long to wait after a 429 that does not say, in milliseconds. */
const defaultRetryAfterMs = 10_000;

/**
 * Gives plants a tag, by an edit each, which overwrites nothing that somebody else changes meanwhile. It can be run again after
 * any failure: a plant that has the tag stays as it is. Where the rate limit permits no more, it waits.
 *
 * @throws {RejectedError | PlantStoreError} for what concerns more than one plant, such as the token, the scope or the network
 */
export async function tagPlants(
  client: Pick<Client, 'getPlant' | 'updatePlant'>,
  plants: Iterable<StoredPlant> | AsyncIterable<StoredPlant>,
  { onDone, ...options }: TagOptions,
): Promise<void> {
  const { signal } = options;
  const sent = new AbortController();
  const onAbort = () => void setTimeout(() => sent.abort(signal.reason), lastReplyMs);
  signal.addEventListener('abort', onAbort, { once: true });
  await inParallel(plants, async (plant) => {
    onDone(await tagPlant(client, plant, { ...options, sentSignal: sent.signal }));
  });
}

/**
 * Makes plants what they were before a tagging, as `tagPlants` does, but for those that were changed since. It can be run again after
 * any failure.
 *
 * @throws {RejectedError | PlantStoreError} for what concerns more than one plant
 */
export async function restoreTags(
  client: Pick<Client, 'getPlant' | 'updatePlant'>,
  plants: Iterable<StoredPlant>,
  { etags, onDone }: RestoreOptions,
): Promise<void> {
  await inParallel(plants, async (plant) => {
    try {
      const tagged = startEdit({ plant, etag: etags.get(plant.id) ?? '""' });
      onDone(plant.id, (await save(client, tagged, {})).plant);
    } catch (error) {
      const isChanged = isRejectedError(error) && [404, 412].includes(error.status);
      if (!isChanged || explainRejection(error, 'change').about !== 'plant') throw error;
      onDone(plant.id, undefined);
    }
  });
}

async function tagPlant(
  client: Pick<Client, 'getPlant' | 'updatePlant'>,
  { id, ...listed }: StoredPlant,
  { tag, from, signal, sentSignal }: Omit<TagOptions, 'onDone'> & { readonly sentSignal: AbortSignal },
): Promise<Tagged> {
  let edit: Edit<StoredPlant> | undefined;
  for (let attempt = 1; ; attempt++) {
    try {
      edit ??= await withinRateLimit(
        async () => startEdit(await client.getPlant({ params: { id }, signal })),
        signal,
      );
      const { plant: before } = edit;
      const isOther = from !== undefined && before.tag !== from;
      if (before.tag === tag || isOther) return { plant: before };
      return { before, ...(await save(client, edit, { tag }, signal, sentSignal)) };
    } catch (error) {
      if (!isRejectedError(error)) throw error;
      if (isEditConflict(error) && attempt < attempts) {
        edit = error.current;
        continue;
      }
      const { about, message } = explainRejection(error, 'change');
      if (about !== 'plant') throw error;
      return { plant: { id, ...listed }, reason: message };
    }
  }
}

async function save(
  client: Pick<Client, 'getPlant' | 'updatePlant'>,
  edit: Edit,
  changes: Changes,
  signal?: AbortSignal,
  sentSignal?: AbortSignal,
) {
  const options = sentSignal && { signal: sentSignal };
  return withinRateLimit(async () => startEdit(await saveEdit(client, edit, changes, options)), signal);
}

/** Sends a request again as long as the rate limit permits no more. */
async function withinRateLimit<Reply>(
  send: () => Promise<Reply>,
  signal: AbortSignal | undefined,
): Promise<Reply> {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (!isRejectedError(error) || error.status !== 429) throw error;
      signal?.throwIfAborted();
      await delay(error.retryAfterMs ?? defaultRetryAfterMs, signal);
    }
  }
}

function delay(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', abort, { once: true });
  });
}
