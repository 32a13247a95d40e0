import { ensureSuccess } from '@plant-store/client/unwrap';
import { fieldsOf } from '@plant-store/contract/fields';
import type { Plant, StoredPlant } from '@plant-store/contract/operations';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { PlantFilter } from '../route.js';
import { explainFailure, type Purpose } from '../shared/explain-failure.js';
import { fieldNames, mapFields, type Texts } from '../shared/fields.js';
import { usePlantStore } from '../shared/plant-store.js';
import { keepInTab, readFromTab, tabStorageKeys } from '../shared/tab-storage.js';
import { getWithEtag } from './get-with-etag.js';
import { putIn, takeOut } from './use-plants.js';

/** What a person has typed in place of the texts of a plant. */
interface Correction {
  readonly texts: Texts;
  /** That of the plant that the person saw, which alone is replaced. */
  readonly etag: string;
}

interface CorrectionOptions {
  readonly id: bigint;
  /** That of the list, in which the plant is shown as it is by then. */
  readonly filter: PlantFilter;
}

/** The correction of a plant. What was typed stays in this tab until it is saved or cancelled. */
export function useCorrection({ id, filter }: CorrectionOptions) {
  const queryClient = useQueryClient();
  const { client, rejectToken } = usePlantStore();
  const [correction, setCorrection] = useState(() => restoreCorrection(id));
  const [changed, setChanged] = useState<StoredPlant>();
  const [done, setDone] = useState('');
  const [problem, setProblem] = useState<string>();
  const [isPending, setPending] = useState(false);
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    if (correction !== undefined) keepInTab(tabStorageKeys.correction, correction);
  }, [correction]);

  const load = () => getWithEtag(client, id);
  const replace = async (plant: Plant, etag: string) => {
    const reply = await client.correctPlant({
      params: { id },
      headers: { 'if-match': etag },
      body: fieldsOf(plant),
      onRequest: (event) => setAttempt(event.attempt),
    });
    if (reply.status === 412) {
      const now = await load();
      setCorrection((before) => before && { ...before, etag: now.etag });
      setChanged(now.plant);
      return setProblem(
        'The plant has changed meanwhile, and nothing was saved. Save replaces what it is now.',
      );
    }
    const { body } = ensureSuccess(reply);
    queryClient.setQueryData(['plant-store', 'getPlant', { params: { id: `${id}` } }], body);
    // It may no longer match.
    takeOut(queryClient, id);
    putIn(queryClient, body, filter);
    end();
    setDone('Saved.');
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
    setCorrection(undefined);
    setChanged(undefined);
    setProblem(undefined);
    keepInTab(tabStorageKeys.correction, undefined);
  };

  return {
    /** `undefined` until the person has begun one. */
    texts: correction?.texts,
    /** What the plant is, where somebody else has changed it meanwhile. */
    changed,
    /** That it is saved. */
    done,
    problem,
    isPending,
    attempt,
    begin: () =>
      run('read', async () => {
        const { plant, etag } = await load();
        setCorrection({ texts: textsOf(plant), etag });
      }),
    type: (texts: Texts) => setCorrection((before) => before && { ...before, texts }),
    /** Goes on with what the plant is by now. */
    takeChanged() {
      if (changed === undefined) return;
      setCorrection((before) => before && { ...before, texts: textsOf(changed) });
      setChanged(undefined);
      setProblem(undefined);
    },
    save: (plant: Plant) => run('change', async () => correction && replace(plant, correction.etag)),
    fail: setProblem,
    /** Ends it without a change. */
    end,
  };
}

export type CorrectionControl = ReturnType<typeof useCorrection>;

function textsOf(plant: StoredPlant): Texts {
  return mapFields((name) => String(plant[name] ?? ''));
}

/** What was typed for this plant, by a page that had the same fields. */
function restoreCorrection(id: bigint): Correction | undefined {
  const { texts, etag } = Object(readFromTab(tabStorageKeys.correction));
  const isWhole = fieldNames.every((name) => typeof Object(texts)[name] === 'string');
  return isWhole && texts.id === `${id}` && typeof etag === 'string' ? { texts, etag } : undefined;
}
