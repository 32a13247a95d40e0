import { isEditConflict, saveEdit, startEdit } from '@plant-store/client';
import type { Plant, StoredPlant } from '@plant-store/contract/operations';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { PlantFilter } from '../route.js';
import { explainFailure, type Purpose } from '../shared/explain-failure.js';
import { fieldNames, mapFields, type Texts, textNames } from '../shared/fields.js';
import { queryKeys, usePlantStore } from '../shared/plant-store.js';
import { keepInTab, readFromTab, tabStorageKeys } from '../shared/tab-storage.js';
import { hasSameTexts } from '../shared/texts.js';
import { useUndo } from './undo-provider.js';
import { putIn } from './use-plants.js';

/** An edit in progress: the typed texts of a plant. */
interface PlantEdit {
  readonly texts: Texts;
  /** The `ETag` of the plant that the person saw. Saving replaces only this state. */
  readonly etag: string;
  /** The plant as read when the edit began, or as shown since. Unknown after a reload. */
  readonly seen?: Plant;
}

interface EditOptions {
  readonly id: bigint;
  /** The filter of the list, where the saved plant is shown. */
  readonly filter: PlantFilter;
  /** The current plant, as far as known. */
  readonly stored: StoredPlant | undefined;
}

/** The edit of a plant. What was typed stays in this tab until it is saved or cancelled. */
export function useEdit({ id, filter, stored }: EditOptions) {
  const queryClient = useQueryClient();
  const { client, rejectToken } = usePlantStore();
  const { addEdit } = useUndo();
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
    keepInTab(tabStorageKeys.edit, { texts, etag });
  }, [edit]);

  const keep = (plant: StoredPlant) =>
    queryClient.setQueryData(queryKeys.getPlant.queryKey({ params: { id } }), plant);
  // Updates the cache, so that the heading shows the plant at once.
  const { seen } = edit ?? {};
  const isChanged = stored !== undefined && seen !== undefined && !hasSameTexts(stored, seen) && !isPending;
  const replace = async (plant: Plant, etag: string) => {
    try {
      // Sends all texts: after a reload, the state that the person saw is unknown, except for its `ETag`.
      const whole = startEdit({ plant: { ...plant, id }, etag });
      const before = stored;
      const { body, etag: after } = await saveEdit(
        client,
        whole,
        {},
        { onRequest: (event) => setAttempt(event.attempt) },
      );
      keep(body);
      if (before !== undefined && after != null)
        addEdit([before], { label: 'Edited', after: body, etags: new Map([[id, after]]) });
      putIn(queryClient, [body], filter);
      end();
      setDone('Saved.');
    } catch (error) {
      if (!isEditConflict(error)) throw error;
      const { plant: now, etag } = error.current;
      keep(now);
      setEdit((before) => before && { ...before, etag, seen: now });
      setChanged(now);
      setProblem(
        'Someone changed this plant while you were editing. Nothing was saved. Save replaces their version.',
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
    keepInTab(tabStorageKeys.edit, undefined);
  };

  return {
    /** `undefined` until the person begins an edit. */
    texts: edit?.texts,
    /** The plant that the edit replaces; `undefined` after a reload. */
    seen,
    /** The current plant, if someone else has changed it since the edit began. */
    changed: isChanged ? stored : changed,
    /** Whether the texts were typed before the plant was opened this time. */
    isRestored,
    /** The confirmation that the edit is saved. */
    done,
    problem: isChanged
      ? 'Someone changed this plant while you were editing. Save asks before it replaces their version.'
      : problem,
    isPending,
    attempt,
    /** Begins the edit, or starts over with the current plant. */
    begin: () =>
      run('read', async () => {
        const { plant, etag } = startEdit(await client.getPlant({ params: { id } }));
        keep(plant);
        setEdit({ texts: textsOf(plant), etag, seen: plant });
        setRestored(false);
      }),
    /** Restores an earlier state of the plant, unless someone else has changed it since it was shown. */
    restore: (plant: Plant) =>
      run('change', async () => {
        const now = startEdit(await client.getPlant({ params: { id } }));
        const isShown = stored !== undefined && hasSameTexts(now.plant, stored);
        keep(now.plant);
        if (isShown) await replace(plant, now.etag);
        else setProblem('Someone changed this plant. Nothing was restored.');
      }),
    type: (texts: Texts) => setEdit((before) => before && { ...before, texts }),
    save: (plant: Plant) => run('change', async () => edit && replace(plant, edit.etag)),
    /** Ends the edit, unless something was typed, which is kept. */
    leave() {
      if (edit?.seen !== undefined && isUnchanged(edit.texts, edit.seen)) end();
    },
    fail: setProblem,
    /** Ends the edit without a change. */
    end,
  };
}

export type EditControl = ReturnType<typeof useEdit>;

function textsOf(plant: StoredPlant): Texts {
  return mapFields((name) => String(plant[name] ?? ''));
}

const isUnchanged = (texts: Texts, plant: Plant) =>
  textNames.every((name) => texts[name] === (plant[name] ?? ''));

/** Restores the texts that were typed for this plant, if the page had the same fields then. */
function restoreEdit(id: bigint): PlantEdit | undefined {
  const { texts, etag } = Object(readFromTab(tabStorageKeys.edit));
  const isWhole = fieldNames.every((name) => typeof Object(texts)[name] === 'string');
  return isWhole && texts.id === `${id}` && typeof etag === 'string' ? { texts, etag } : undefined;
}
