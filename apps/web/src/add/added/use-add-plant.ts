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
import { usePlantStore } from '../../shared/plant-store.js';
import { keepInTab, readFromTab, tabStorageKeys } from '../../shared/tab-storage.js';
import { type AddedPlant, beginAdding, recordResult, restoreAdded } from './added-plants.js';

/** The result of adding a plant. `not_added`: it is certainly not stored, and a later attempt may succeed. */
export type AddResult =
  | { readonly state: 'stored' | 'present'; readonly failure?: undefined }
  | { readonly state: 'rejected' | 'not_added' | 'unconfirmed'; readonly failure: Failure };

/** Adds plants one at a time, and holds the plants that were added. */
export interface AddPlant {
  readonly added: readonly AddedPlant[];
  /** The list key of the plant that was sent last since the page was loaded. */
  readonly lastKey: number | undefined;
  readonly pending: boolean;
  /** The number of the attempt in flight; more than 1 once the client retries. */
  readonly attempt: number;
  /**
   * Adds a plant and lists it. Sends nothing and returns `undefined` while another plant is being added. Also returns `undefined` once the
   * page no longer shows the list.
   */
  add(plant: NewPlant): Promise<AddResult | undefined>;
}

/** Adds plants through the client, which retries automatically, and keeps a list of them in this tab. */
export function useAddPlant(): AddPlant {
  const [added, setAdded] = useState(() => restoreAdded(readFromTab(tabStorageKeys.added)));
  const latest = useRef(added);
  const [lastKey, setLastKey] = useState<number>();
  const [attempt, setAttempt] = useState(0);
  const sending = useRef(false);
  useEffect(() => keepInTab(tabStorageKeys.added, added), [added]);
  // Sends nothing with a token that was removed. A request in flight then stays in the tab as being sent.
  const mount = useRef(new AbortController());
  useEffect(() => {
    const controller = new AbortController();
    mount.current = controller;
    return () => controller.abort();
  }, []);
  const { token, operations } = usePlantStore();
  const { isPending, mutateAsync } = useMutation(
    operations.createPlant.mutationOptions({ select: ({ replayed }) => replayed }),
  );

  // Also a ref, because the callback that adds a plant may be older than the latest change of the list.
  const put = (list: readonly AddedPlant[]) => {
    latest.current = list;
    setAdded(list);
  };
  const add = async (plant: NewPlant): Promise<AddResult | undefined> => {
    // A ref, because a second event may come before the state is rendered.
    const { signal } = mount.current;
    if (sending.current || signal.aborted) return undefined;
    sending.current = true;
    const begun = beginAdding(latest.current, plant, Date.now());
    const key = begun[0]?.key ?? 0;
    put(begun);
    setLastKey(key);
    setAttempt(0);
    try {
      const onRequest = (event: RequestEvent) => setAttempt(event.attempt);
      const { fetch, mayBeStored } = watchAttempts();
      const request = { body: plant, token, fetch, signal, onRequest };
      const result = await mutateAsync(request).then(toResult, (error) => toFailed(error, mayBeStored()));
      if (signal.aborted) return undefined;
      const { state, failure } = result;
      put(recordResult(latest.current, key, { state, reason: failure?.message }));
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

function toFailed(error: unknown, mayBeStored: boolean): AddResult {
  if (!isRejectedError(error)) {
    const notStored = isPlantStoreError(error) && error.outcome !== 'unknown';
    return { state: notStored ? 'not_added' : 'unconfirmed', failure: explainError(error) };
  }
  const failure = explainRejection(error);
  if (failure.about === 'id' || failure.about === 'plant') return { state: 'rejected', failure };
  return { state: mayBeStored ? 'unconfirmed' : 'not_added', failure };
}

/** After `internal_error` and `database_unavailable` the plant may still have been stored. */
const ambiguous: readonly ErrorNumber[] = [50000, 50301];
const unambiguous = errorNumbers.filter((number) => !ambiguous.includes(number));

/**
 * A `fetch` for one call, and whether any attempt may have stored the plant: one without a reply from the service, or with an ambiguous
 * reply. The last reply is not enough to know, because the client retries.
 */
function watchAttempts(): { readonly fetch: Fetch; mayBeStored(): boolean } {
  let mayBeStored = false;
  const fetch: Fetch = async (url, init) => {
    const before = mayBeStored;
    mayBeStored = true;
    const response = await globalThis.fetch(url, init);
    const certain = await response
      .clone()
      .json()
      .then(isNotStored, () => false);
    mayBeStored = before || !certain;
    return response;
  };
  return { fetch, mayBeStored: () => mayBeStored };
}

function isNotStored(body: unknown): boolean {
  return unambiguous.includes(Object(body).error);
}
