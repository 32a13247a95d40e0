import { createClient, type RequestEvent } from '@plant-store/client';
import { createTanstackQueryUtils, isRejectedError } from '@plant-store/client/tanstack-query';
import type { NewPlant } from '@plant-store/contract/operations';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { explainError, explainRejection, type Failure } from '../shared/explain-failure.js';
import { keepInTab, readFromTab, tabStorageKeys } from '../shared/tab-storage.js';
import { type AddedPlant, beginAdding, restoreAdded, settle } from './added-plants.js';

/** How adding a plant ended. */
export type AddResult =
  | { readonly state: 'stored' | 'present'; readonly failure?: undefined }
  | { readonly state: 'rejected' | 'unconfirmed'; readonly failure: Failure };

/** What adds plants, one at a time, and what was added. */
export interface AddPlant {
  readonly added: readonly AddedPlant[];
  /** The plant that was sent last since the page was loaded, by its key in the list. */
  readonly lastKey: number | undefined;
  readonly pending: boolean;
  /** The number of the attempt in flight; more than 1 once the client retries. */
  readonly attempt: number;
  /** Adds a plant and lists it. `undefined`, and nothing is sent, while another is being added. */
  add(plant: NewPlant): Promise<AddResult | undefined>;
}

/** Adds plants through the client, which retries by itself, and keeps a list of them in this tab. */
export function useAddPlant(token: string): AddPlant {
  const [added, setAdded] = useState(() => restoreAdded(readFromTab(tabStorageKeys.added)));
  const latest = useRef(added);
  const [lastKey, setLastKey] = useState<number>();
  const [attempt, setAttempt] = useState(0);
  const sending = useRef(false);
  useEffect(() => keepInTab(tabStorageKeys.added, added), [added]);
  const { createPlant } = useMemo(
    () => createTanstackQueryUtils(createClient({ baseUrl: location.origin, token })),
    [token],
  );
  const { isPending, mutateAsync } = useMutation(
    createPlant.mutationOptions({ select: ({ replayed }) => replayed }),
  );

  // Also a reference: what adds a plant may have been made before the list changed.
  const put = (list: readonly AddedPlant[]) => {
    latest.current = list;
    setAdded(list);
  };
  const add = async (plant: NewPlant): Promise<AddResult | undefined> => {
    // A reference, since a second event may come before the state is rendered.
    if (sending.current) return undefined;
    sending.current = true;
    const begun = beginAdding(latest.current, plant, Date.now());
    const key = begun[0]?.key ?? 0;
    put(begun);
    setLastKey(key);
    setAttempt(0);
    try {
      const onRequest = (event: RequestEvent) => setAttempt(event.attempt);
      const result = await mutateAsync({ body: plant, onRequest }).then(toResult, toFailed);
      const { state, failure } = result;
      put(settle(latest.current, key, { state, reason: failure?.message }));
      return result;
    } finally {
      sending.current = false;
    }
  };
  return { added, lastKey, pending: isPending, attempt, add };
}

function toResult(replayed: boolean): AddResult {
  return { state: replayed ? 'present' : 'stored' };
}

function toFailed(error: unknown): AddResult {
  if (!isRejectedError(error)) return { state: 'unconfirmed', failure: explainError(error) };
  const failure = explainRejection(error);
  const rejected = failure.about === 'id' || failure.about === 'plant';
  return { state: rejected ? 'rejected' : 'unconfirmed', failure };
}
