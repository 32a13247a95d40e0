import { type Client, getAll, updateAll } from '@plant-store/client';
import type { StoredPlant, UpdatedResult } from '@plant-store/contract/operations';
import { explainRejection } from '../../shared/explain-failure.js';

/** The result for a plant. */
export type Tagged =
  | {
      readonly plant: StoredPlant;
      /** Its previous state and new `ETag`, if it was edited. */
      readonly edit?: { readonly before: StoredPlant; readonly etag: string };
      readonly reason?: undefined;
    }
  /** A sentence about why it was not edited. */
  | { readonly plant: StoredPlant; readonly reason: string };

interface TagOptions {
  /** The new tag; `undefined` for none. */
  readonly tag: string | undefined;
  /** The tag that the plants must still have. Default: any. */
  readonly from?: string | undefined;
  readonly signal: AbortSignal;
  /** Called after each batch. */
  onDone(tagged: readonly Tagged[]): void;
}

/** How long to wait for edits in flight after a cancel. Without their replies, an undo could not restore them. */
const lastReplyTimeoutMs = 5_000;

/**
 * Gives plants a tag, with two requests per 1,000 plants, and without overwriting concurrent changes. It can be run again after any
 * failure, because it skips plants that already have the tag.
 *
 * @throws {RejectedError | PlantStoreError} for problems that affect more than one plant, such as the token, a scope, or the network
 */
export async function tagPlants(
  client: Pick<Client, 'getPlants' | 'updatePlants'>,
  plants: Iterable<StoredPlant> | AsyncIterable<StoredPlant>,
  { tag, from, signal, onDone }: TagOptions,
): Promise<void> {
  /** The plants by ID: as listed, then as read. */
  const known = new Map<unknown, StoredPlant>();
  const done: Tagged[] = [];
  const report = () => onDone(done.splice(0));

  async function* readIds() {
    for await (const plant of plants) {
      known.set(plant.id, plant);
      yield plant.id;
    }
  }
  async function* readUpdates() {
    for await (const { id, plant, etag } of getAll(client, readIds(), { signal })) {
      const listed = known.get(id);
      if (plant === undefined) done.push(...(listed ? [{ plant: listed, reason: 'It was deleted.' }] : []));
      else if (plant.tag === tag || (from !== undefined && plant.tag !== from)) done.push({ plant });
      else {
        known.set(id, plant);
        yield { ...plant, tag, ifMatch: etag };
      }
    }
  }
  const onEdited = ({ plant, etag }: UpdatedResult) => {
    const before = known.get(plant.id);
    done.push(before ? { plant, edit: { before, etag } } : { plant });
  };

  const lastReplies = new AbortController();
  signal.addEventListener('abort', () => setTimeout(() => lastReplies.abort(), lastReplyTimeoutMs), {
    once: true,
  });
  const sent: Promise<unknown>[] = [];
  const { updatePlants } = reportEdits(client, onEdited);
  const edits: Pick<Client, 'updatePlants'> = {
    updatePlants(request) {
      const reply = updatePlants({ ...request, signal: lastReplies.signal });
      sent.push(reply);
      return reply;
    },
  };
  try {
    for await (const { rejections } of updateAll(edits, readUpdates(), { signal })) {
      for (const { plant, ...rejection } of rejections)
        done.push({ plant, reason: explainRejection(rejection, 'change').message });
      report();
    }
  } finally {
    await Promise.allSettled(sent);
    report();
  }
}

/** Creates a client that reports each edit as soon as its reply arrives, regardless of the others. */
export function reportEdits(
  client: Pick<Client, 'updatePlants'>,
  onEdited: (edited: UpdatedResult) => void,
): Pick<Client, 'updatePlants'> {
  return {
    async updatePlants(request) {
      const reply = await client.updatePlants(request);
      const { results } = reply.status === 200 ? reply.body : { results: [] };
      for (const result of results) if (!('error' in result)) onEdited(result);
      return reply;
    },
  };
}
