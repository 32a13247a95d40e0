import { isEditConflict, saveEdit, startEdit } from '@plant-store/client';
import type { Plant, StoredPlant } from '@plant-store/contract/operations';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { PlantFilter } from '../route.js';
import { explainFailure, type Purpose } from '../shared/explain-failure.js';
import { fieldNames, mapFields, type Texts, textNames } from '../shared/fields.js';
import { readStored, storageKeys, writeStored } from '../shared/page-storage.js';
import { queryKeys, usePlantStore } from '../shared/plant-store.js';
import { hasSameTexts } from '../shared/texts.js';
import { useUndo } from './undo-provider.js';
import { addToLists } from './use-plants.js';

type SavedPlant = Awaited<ReturnType<typeof saveEdit>>;

interface SavedEdit {
  /** What was done, such as "Name edited". */
  readonly label: string;
  /** The plant before the edit, if it is known. */
  readonly before: StoredPlant | undefined;
}

/** Returns functions that show a plant's current state in the open panel and in a list with the filter. */
export function useShowPlant(filter: PlantFilter) {
  const queryClient = useQueryClient();
  const { addEdit } = useUndo();
  /** Updates the cache, so that the panel shows the plant immediately. */
  const cache = (plant: StoredPlant) =>
    queryClient.setQueryData(queryKeys.getPlant.queryKey({ params: { id: plant.id } }), plant);
  const show = (plant: StoredPlant) => {
    cache(plant);
    addToLists(queryClient, [plant], filter);
  };
  /** Shows a saved plant, and adds the undo of its edit if the plant before it is known. */
  const showSaved = ({ body, etag }: SavedPlant, { label, before }: SavedEdit) => {
    show(body);
    if (before !== undefined && etag !== null)
      addEdit([before], { label, after: body, etags: new Map([[body.id, etag]]) });
  };
  return { cache, show, showSaved };
}

/** An edit in progress: the typed texts of a plant. */
interface PlantEdit {
  readonly texts: Texts;
  /** The `ETag` of the plant that the person saw. Saving fails if the plant has changed since. */
  readonly etag: string;
  /** The plant that the person saw last. Unknown after a reload. */
  readonly seen?: Plant;
}

interface EditOptions {
  readonly id: bigint;
  /** The filter of the list, where the saved plant is shown. */
  readonly filter: PlantFilter;
  /** The current plant, as far as known. */
  readonly stored: StoredPlant | undefined;
}

/** Edits a plant. Typed text stays in this tab until it is saved or canceled. */
export function useEdit({ id, filter, stored }: EditOptions) {
  const { client, rejectToken } = usePlantStore();
  const { cache, showSaved } = useShowPlant(filter);
  const [edit, setEdit] = useState(() => restoreEdit(id));
  const [isRestored, setRestored] = useState(edit !== undefined);
  const [changed, setChanged] = useState<StoredPlant>();
  const [done, setDone] = useState('');
  const [problem, setProblem] = useState<string>();
  const [isPending, setPending] = useState(false);
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    if (edit === undefined) return;
    const { texts, etag } = edit;
    writeStored(storageKeys.edit, { texts, etag });
  }, [edit]);

  const { seen } = edit ?? {};
  const isChanged = stored !== undefined && seen !== undefined && !hasSameTexts(stored, seen) && !isPending;
  const replace = async (plant: Plant, etag: string) => {
    try {
      // Sends all texts, because after a reload, only the `ETag` of the plant that the person saw is known.
      const base = startEdit({ plant: { ...plant, id }, etag });
      const onRequest = (event: { readonly attempt: number }) => setAttempt(event.attempt);
      showSaved(await saveEdit(client, base, {}, { onRequest }), { label: 'Edited', before: stored });
      end();
      setDone('Saved.');
    } catch (error) {
      if (!isEditConflict(error)) throw error;
      const { plant: current, etag: currentEtag } = error.current;
      cache(current);
      setEdit((before) => before && { ...before, etag: currentEtag, seen: current });
      setChanged(current);
      setProblem(
        'Someone changed this plant while you were editing. Nothing was saved. Press Save to replace their version.',
      );
    }
  };
  const run = async (purpose: Purpose, work: () => Promise<void>) => {
    setPending(true);
    setDone('');
    setAttempt(0);
    setProblem(undefined);
    setChanged(undefined);
    try {
      await work();
    } catch (error) {
      const { about, message } = explainFailure(error, purpose);
      if (about === 'token') rejectToken(message);
      else setProblem(message);
    }
    setPending(false);
  };
  const end = () => {
    setEdit(undefined);
    setRestored(false);
    setChanged(undefined);
    setProblem(undefined);
    writeStored(storageKeys.edit, undefined);
  };

  return {
    /** `undefined` until the person begins an edit. */
    texts: edit?.texts,
    /** The plant that the edit replaces; `undefined` after a reload. */
    seen,
    /** The current plant, if someone else has changed it since the edit began. */
    changed: isChanged ? stored : changed,
    /** Whether the texts are from an edit that was not finished when the plant was last open. */
    isRestored,
    /** The confirmation that the edit is saved. */
    done,
    problem: isChanged
      ? 'Someone changed this plant while you were editing. You must confirm before your version replaces theirs.'
      : problem,
    isPending,
    attempt,
    /** Begins the edit, or starts over with the current plant. */
    begin: () =>
      run('read', async () => {
        const { plant, etag } = startEdit(await client.getPlant({ params: { id } }));
        cache(plant);
        setEdit({ texts: mapFields((name) => String(plant[name] ?? '')), etag, seen: plant });
        setRestored(false);
      }),
    /** Restores an earlier state of the plant, unless someone else has changed it since it was shown. */
    restore: (plant: Plant) =>
      run('change', async () => {
        const latest = startEdit(await client.getPlant({ params: { id } }));
        const isShown = stored !== undefined && hasSameTexts(latest.plant, stored);
        cache(latest.plant);
        if (isShown) await replace(plant, latest.etag);
        else setProblem('Someone changed this plant. Nothing was restored.');
      }),
    type: (texts: Texts) => setEdit((before) => before && { ...before, texts }),
    save: (plant: Plant) => run('change', async () => edit && replace(plant, edit.etag)),
    /** Ends the edit if nothing was typed. Otherwise keeps it. */
    leave() {
      const { texts, seen: before } = edit ?? {};
      if (texts && before && textNames.every((name) => texts[name] === (before[name] ?? ''))) end();
    },
    fail: setProblem,
    /** Ends the edit without a change. */
    end,
  };
}

export type EditControl = ReturnType<typeof useEdit>;

/** Restores the texts that were typed for this plant, unless the page had other fields then. */
function restoreEdit(id: bigint): PlantEdit | undefined {
  const { texts, etag } = Object(readStored(storageKeys.edit));
  const isComplete = fieldNames.every((name) => typeof Object(texts)[name] === 'string');
  return isComplete && texts.id === `${id}` && typeof etag === 'string' ? { texts, etag } : undefined;
}
