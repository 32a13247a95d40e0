import type { StoredPlant } from '@plant-store/contract/operations';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { PlantFilter } from '../../route.js';
import { explainFailure } from '../../shared/explain-failure.js';
import { usePlantStore } from '../../shared/plant-store.js';
import { warnBeforeClosing } from '../../shared/warn-before-closing.js';
import { useUndo } from '../undo-provider.js';
import { putInAll } from '../use-plants.js';
import { type Tagged, tagPlants } from './tag-plants.js';

/** How far the edits of many plants are. */
export interface Progress {
  readonly state: 'running' | 'stopped' | 'done';
  /** How many have the tag, or had it. */
  readonly done: number;
  /** Those that were not edited. */
  readonly failed: readonly (Tagged & { readonly reason: string })[];
  /** Why it was stopped, if not by the person. */
  readonly problem?: string;
}

interface Tagging {
  /** Those that get the tag; called again to go on. */
  plants(signal: AbortSignal): Iterable<StoredPlant> | AsyncIterable<StoredPlant>;
  readonly tag: string | undefined;
  readonly from?: string;
}

/** How long edited plants wait to be shown together, in milliseconds. */
const showEveryMs = 250;

/**
 * Edits the tags of many plants, one run at a time, shows them in the list, and offers the undo. It stops once the part that has it
 * is gone.
 */
export function useTagging(filter: PlantFilter) {
  const { client, rejectToken } = usePlantStore();
  const queryClient = useQueryClient();
  const { addTagging } = useUndo();
  const [progress, setProgress] = useState<Progress>();
  /** Under which its undo is, where it was stopped. */
  const undoKey = useRef<number>(undefined);
  const control = useRef<AbortController>(undefined);
  useEffect(() => () => control.current?.abort(), []);

  /** Begins a run, or goes on with one: then `before` is how far it was. */
  const run = async ({ plants, ...tagging }: Tagging, before?: Progress): Promise<Progress> => {
    const started = new AbortController();
    const { signal } = started;
    control.current = started;
    let latest: Progress = { state: 'running', done: before?.done ?? 0, failed: [] };
    const edited: StoredPlant[] = [];
    const etags = new Map<bigint, string>();
    let unshown: StoredPlant[] = [];
    let shownAt = performance.now();
    const show = () => {
      putInAll(queryClient, unshown, filter);
      [unshown, shownAt] = [[], performance.now()];
      setProgress(latest);
    };
    const onDone = (tagged: Tagged) => {
      const { reason, plant } = tagged;
      if (reason === undefined) {
        const { before: was, etag } = tagged;
        if (was !== undefined && etag !== undefined) {
          edited.push(was);
          etags.set(was.id, etag);
        }
        unshown.push(plant);
        latest = { ...latest, done: latest.done + 1 };
      } else latest = { ...latest, failed: [...latest.failed, { plant, reason }] };
      if (performance.now() - shownAt > showEveryMs) show();
    };
    setProgress(latest);
    const endWarning = warnBeforeClosing();
    try {
      await tagPlants(client, plants(signal), { ...tagging, signal, onDone });
      latest = { ...latest, state: 'done' };
    } catch (error) {
      latest = { ...latest, state: 'stopped' };
      if (!signal.aborted) {
        const { about, message } = explainFailure(error, 'change');
        if (about === 'token') rejectToken(message);
        else latest = { ...latest, problem: message };
      }
    } finally {
      endWarning();
    }
    show();
    if (edited.length > 0) {
      const done = { plants: edited, tagging: { tag: tagging.tag, etags, kept: 0 } };
      undoKey.current = addTagging(done, undoKey.current);
    }
    return latest;
  };
  const forget = () => {
    undoKey.current = undefined;
    setProgress(undefined);
  };
  return { progress, run, cancel: () => control.current?.abort(), forget };
}
