import { type Client, getAll, updateAll } from '@plant-store/client';
import type { StoredPlant } from '@plant-store/contract/operations';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { PlantFilter } from '../../route.js';
import { explainFailure, explainRejection } from '../../shared/explain-failure.js';
import { usePlantStore } from '../../shared/plant-store.js';
import { warnBeforeClosing } from '../../shared/warn-before-closing.js';
import { useUndo } from '../undo-provider.js';
import { reportEdits } from '../undo-requests.js';
import { addToLists } from '../use-plants.js';

/** The progress of editing many plants. */
export interface Progress {
  readonly state: 'running' | 'stopped' | 'done';
  /** The number of plants that have the tag now. */
  readonly done: number;
  /** The plants that were not edited, each with a sentence about why. */
  readonly failed: readonly { readonly plant: Pick<StoredPlant, 'id' | 'name'>; readonly reason: string }[];
  /** Why the run stopped, unless the person stopped it. */
  readonly problem?: string;
}

interface Tagging {
  /** The plants to edit. */
  plants(signal: AbortSignal): Iterable<StoredPlant> | AsyncIterable<StoredPlant>;
  /** The new tag; `undefined` for none. */
  readonly tag: string | undefined;
  /** The tag that the plants must still have. Default: any. */
  readonly from?: string;
}

/** How long to wait for edits in flight after a cancel. Without their replies, an undo could not restore them. */
const lastReplyTimeoutMs = 5_000;

/**
 * Tags many plants, with two requests per 1,000 plants, and without overwriting concurrent changes. Shows them in the list, and adds an
 * undo. You can run it again after any failure, because it skips plants that already have the tag. Unmounting the component stops the run.
 */
export function useTagging(filter: PlantFilter) {
  const { client, rejectToken } = usePlantStore();
  const queryClient = useQueryClient();
  const { addEdit } = useUndo();
  const [progress, setProgress] = useState<Progress>();
  const control = useRef<AbortController>(undefined);
  useEffect(() => () => control.current?.abort(), []);

  const run = async ({ plants, tag, from }: Tagging): Promise<Progress> => {
    control.current = new AbortController();
    const { signal } = control.current;
    /** The plants by ID: as listed, then as read. */
    const plantsById = new Map<unknown, StoredPlant>();
    /** The plants that have the tag now, since the progress was last shown. */
    const tagged: StoredPlant[] = [];
    /** The edited plants as they were before, and their new `ETag`s. */
    const edited: StoredPlant[] = [];
    const etags = new Map<bigint, string>();
    let shown: Progress = { state: 'running', done: 0, failed: [] };
    const failed: Progress['failed'][number][] = [];
    const show = (changes: Partial<Progress> = {}) => {
      shown = { ...shown, done: shown.done + tagged.length, failed: [...failed], ...changes };
      addToLists(queryClient, tagged.splice(0), filter);
      setProgress(shown);
    };

    async function* readIds() {
      for await (const plant of plants(signal)) {
        plantsById.set(plant.id, plant);
        yield plant.id;
      }
    }
    async function* readUpdates() {
      for await (const { id, plant, etag } of getAll(client, readIds(), { signal })) {
        const listed = plantsById.get(id);
        if (plant === undefined)
          failed.push(...(listed ? [{ plant: listed, reason: 'It was deleted.' }] : []));
        else if (plant.tag === tag || (from !== undefined && plant.tag !== from)) tagged.push(plant);
        else {
          plantsById.set(id, plant);
          yield { ...plant, tag, ifMatch: etag };
        }
      }
    }
    const lastReplies = new AbortController();
    const endLastReplies = () => setTimeout(() => lastReplies.abort(), lastReplyTimeoutMs);
    signal.addEventListener('abort', endLastReplies, { once: true });
    const sent: Promise<unknown>[] = [];
    const { updatePlants } = reportEdits(client, ({ plant, etag }) => {
      tagged.push(plant);
      edited.push(plantsById.get(plant.id) ?? plant);
      etags.set(plant.id, etag);
    });
    const edits: Pick<Client, 'updatePlants'> = {
      updatePlants(request) {
        const reply = updatePlants({ ...request, signal: lastReplies.signal });
        sent.push(reply);
        return reply;
      },
    };

    show();
    const endWarning = warnBeforeClosing();
    try {
      for await (const { rejections } of updateAll(edits, readUpdates(), { signal })) {
        for (const { plant, ...rejection } of rejections)
          failed.push({ plant, reason: explainRejection(rejection, 'change').message });
        show();
      }
      show({ state: 'done' });
    } catch (error) {
      await Promise.allSettled(sent);
      const { about, message } = explainFailure(error, 'change');
      if (!signal.aborted && about === 'token') rejectToken(message);
      show({ state: 'stopped', ...(!signal.aborted && about !== 'token' && { problem: message }) });
    } finally {
      endWarning();
    }
    if (edited.length > 0) addEdit(edited, { tag, etags });
    return shown;
  };

  const forget = () => setProgress(undefined);
  return { progress, run, cancel: () => control.current?.abort(), forget };
}
