import {
  type ErrorNumber,
  type Fetch,
  isPlantStoreError,
  isRejectedError,
  type RequestEvent,
} from '@plant-store/client';
import type { NewPlant } from '@plant-store/contract/operations';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { errorNumbers, explainError, explainRejection, type Failure } from '../../shared/explain-failure.js';
import { readStored, storageKeys, writeStored } from '../../shared/page-storage.js';
import { usePlantStore } from '../../shared/plant-store.js';
import { type AddedPlant, beginAdding, recordResult, restoreAdded } from './added-plants.js';

/** The result of adding a plant. `not_added`: the plant is not stored, and a retry can succeed. */
export type AddResult =
  | { readonly state: 'stored' | 'present'; readonly failure?: undefined }
  | { readonly state: 'rejected' | 'not_added' | 'unconfirmed'; readonly failure: Failure };

/** What `useAddPlant` returns. */
export interface AddPlant {
  readonly added: readonly AddedPlant[];
  /** The key of the last plant that was sent since the page was loaded. */
  readonly lastKey: number | undefined;
  readonly isPending: boolean;
  /** The number of the current attempt; more than 1 once the client retries. */
  readonly attempt: number;
  /**
   * Adds a plant and lists it. Does nothing and returns `undefined` while another plant is being added. Also returns `undefined` if the
   * component was unmounted.
   */
  add(plant: NewPlant): Promise<AddResult | undefined>;
}

/** Adds plants one at a time through the client, which retries automatically. Keeps a list of them in this tab. */
export function useAddPlant(): AddPlant {
  const [added, setAdded] = useState(() => restoreAdded(readStored(storageKeys.added)));
  const latest = useRef(added);
  const [lastKey, setLastKey] = useState<number>();
  const [attempt, setAttempt] = useState(0);
  const sending = useRef(false);
  useEffect(() => writeStored(storageKeys.added, added), [added]);
  // Unmounting aborts the request, because the token may have been removed. The plant stays listed as being sent.
  const unmounting = useRef(new AbortController());
  useEffect(() => {
    const controller = new AbortController();
    unmounting.current = controller;
    return () => controller.abort();
  }, []);
  const { token, operations } = usePlantStore();
  const { isPending, mutateAsync } = useMutation(
    operations.createPlant.mutationOptions({ select: ({ replayed }) => replayed }),
  );

  // The list is also in a ref, because a callback can hold an older list.
  const updateList = (list: readonly AddedPlant[]) => {
    latest.current = list;
    setAdded(list);
  };
  const add = async (plant: NewPlant): Promise<AddResult | undefined> => {
    const { signal } = unmounting.current;
    // `sending` is a ref, because a second event can come before the state is rendered.
    if (sending.current || signal.aborted) return undefined;
    sending.current = true;
    const sendingList = beginAdding(latest.current, plant, Date.now());
    const key = sendingList[0]?.key ?? 0;
    updateList(sendingList);
    setLastKey(key);
    setAttempt(0);
    try {
      const onRequest = (event: RequestEvent) => setAttempt(event.attempt);
      const { fetch, mayBeStored } = watchAttempts();
      const request = { body: plant, token, fetch, signal, onRequest };
      const result = await mutateAsync(request).then(toResult, (error) => toFailed(error, mayBeStored()));
      if (signal.aborted) return undefined;
      const { state, failure } = result;
      updateList(recordResult(latest.current, key, { state, reason: failure?.message }));
      return result;
    } finally {
      sending.current = false;
    }
  };
  return { added, lastKey, isPending, attempt, add };
}

function toResult(replayed: boolean): AddResult {
  return { state: replayed ? 'present' : 'stored' };
}

function toFailed(error: unknown, mayBeStored: boolean): AddResult {
  if (!isRejectedError(error)) {
    const isNotStored = isPlantStoreError(error) && error.outcome !== 'unknown';
    return { state: isNotStored ? 'not_added' : 'unconfirmed', failure: explainError(error) };
  }
  const failure = explainRejection(error);
  if (failure.about === 'id' || failure.about === 'plant') return { state: 'rejected', failure };
  return { state: mayBeStored ? 'unconfirmed' : 'not_added', failure };
}

/** `internal_error` and `database_unavailable`, after which the plant may have been stored. */
const ambiguousErrors: readonly ErrorNumber[] = [50000, 50301];
const unambiguousErrors = errorNumbers.filter((number) => !ambiguousErrors.includes(number));

/**
 * Returns a `fetch` for one call, and a function that reports whether an attempt may have stored the plant, because it had no reply or an
 * ambiguous one. The last reply alone is not enough, because the client retries.
 */
function watchAttempts(): { readonly fetch: Fetch; mayBeStored(): boolean } {
  let mayBeStored = false;
  const fetch: Fetch = async (url, init) => {
    const before = mayBeStored;
    mayBeStored = true;
    const response = await globalThis.fetch(url, init);
    const isCertain = await response
      .clone()
      .json()
      .then(confirmsNotStored, () => false);
    mayBeStored = before || !isCertain;
    return response;
  };
  return { fetch, mayBeStored: () => mayBeStored };
}

function confirmsNotStored(body: unknown): boolean {
  return unambiguousErrors.includes(Object(body).error);
}
