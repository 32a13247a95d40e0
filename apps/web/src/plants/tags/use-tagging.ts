import type { StoredPlant } from '@plant-store/contract/operations';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { PlantFilter } from '../../route.js';
import { explainFailure } from '../../shared/explain-failure.js';
import { usePlantStore } from '../../shared/plant-store.js';
import { warnBeforeClosing } from '../../shared/warn-before-closing.js';
import { useUndo } from '../undo-provider.js';
import { addToLists } from '../use-plants.js';
import { type Tagged, tagPlants } from './tag-plants.js';

/** The progress of editing many plants. */
export interface Progress {
  readonly state: 'running' | 'stopped' | 'done';
  /** The number of plants that have the tag now. */
  readonly done: number;
  /** The plants that were not edited. */
  readonly failed: readonly (Tagged & { readonly reason: string })[];
  /** Why it stopped, unless the person stopped it. */
  readonly problem?: string;
}

interface Tagging {
  /** The plants to edit. */
  plants(signal: AbortSignal): Iterable<StoredPlant> | AsyncIterable<StoredPlant>;
  readonly tag: string | undefined;
  readonly from?: string;
}

/** Edits the tags of many plants, shows them in the list, and adds an undo. Unmounting the component stops it. */
export function useTagging(filter: PlantFilter) {
  const { client, rejectToken } = usePlantStore();
  const queryClient = useQueryClient();
  const { addEdit } = useUndo();
  const [progress, setProgress] = useState<Progress>();
  const control = useRef<AbortController>(undefined);
  useEffect(() => () => control.current?.abort(), []);

  const run = async ({ plants, ...tagging }: Tagging): Promise<Progress> => {
    const started = new AbortController();
    const { signal } = started;
    control.current = started;
    let latest: Progress = { state: 'running', done: 0, failed: [] };
    const show = (changes: Partial<Progress>) => {
      latest = { ...latest, ...changes };
      setProgress(latest);
    };
    const edited: StoredPlant[] = [];
    const etags = new Map<bigint, string>();
    const onDone = (tagged: readonly Tagged[]) => {
      const failed = tagged.filter((each) => each.reason !== undefined);
      const succeeded = tagged.flatMap((each) => (each.reason === undefined ? each : []));
      for (const { edit } of succeeded) {
        if (edit === undefined) continue;
        edited.push(edit.before);
        etags.set(edit.before.id, edit.etag);
      }
      addToLists(
        queryClient,
        succeeded.map(({ plant }) => plant),
        filter,
      );
      show({ done: latest.done + succeeded.length, failed: [...latest.failed, ...failed] });
    };
    show({});
    const endWarning = warnBeforeClosing();
    try {
      await tagPlants(client, plants(signal), { ...tagging, signal, onDone });
      show({ state: 'done' });
    } catch (error) {
      const { about, message } = explainFailure(error, 'change');
      if (!signal.aborted && about === 'token') rejectToken(message);
      show({ state: 'stopped', ...(!signal.aborted && about !== 'token' && { problem: message }) });
    } finally {
      endWarning();
    }
    if (edited.length > 0) addEdit(edited, { tag: tagging.tag, etags });
    return latest;
  };

  const forget = () => setProgress(undefined);
  return { progress, run, cancel: () => control.current?.abort(), forget };
}
