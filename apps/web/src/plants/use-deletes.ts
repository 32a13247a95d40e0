import type { Fetch } from '@plant-store/client';
import { createClient } from '@plant-store/client';
import { isRejectedError } from '@plant-store/client/tanstack-query';
import { unwrap } from '@plant-store/client/unwrap';
import type { StoredPlant } from '@plant-store/contract/operations';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { PlantFilter } from '../route.js';
import { explainError, explainRejection, type Failure } from '../shared/explain-failure.js';
import { putIn, takeOut } from './use-plants.js';

/** How long a delete can be undone, in milliseconds: its request waits for as long. */
export const undoMs = 10_000;

/** A plant that was deleted a moment ago. */
export interface Deleted {
  readonly plant: StoredPlant;
  /** Why it is still there; without one it can be undone. */
  readonly failure?: Failure | undefined;
}

/** So that a request outlives its tab. */
const fetchBeyondTab: Fetch = (url, init) => fetch(url, { ...init, keepalive: true });

/**
 * Deletes plants, each after a time in which it can be undone, or when the tab closes or the view goes.
 *
 * @param onTokenRejected called with the reason; the plant is shown again then
 */
export function useDeletes(token: string, filter: PlantFilter, onTokenRejected: (message: string) => void) {
  const queryClient = useQueryClient();
  const [last, setLast] = useState<Deleted>();
  const waiting = useRef(new Map<bigint, { readonly send: () => void; readonly timer: number }>());
  const latest = useRef({ filter, onTokenRejected });
  useEffect(() => {
    latest.current = { filter, onTokenRejected };
  });

  const send = useCallback(
    async (plant: StoredPlant) => {
      waiting.current.delete(plant.id);
      setLast((now) => (now?.plant === plant ? undefined : now));
      const client = createClient({ baseUrl: location.origin, token, fetch: fetchBeyondTab });
      try {
        await unwrap(client.deletePlant({ params: { id: plant.id } }));
        queryClient.removeQueries({ queryKey: ['plant-store', 'getPlant'] });
      } catch (error) {
        const failure = isRejectedError(error) ? explainRejection(error) : explainError(error);
        putIn(queryClient, plant, latest.current.filter);
        if (failure.about === 'token') latest.current.onTokenRejected(failure.message);
        else setLast({ plant, failure });
      }
    },
    [token, queryClient],
  );

  const remove = (plant: StoredPlant) => {
    takeOut(queryClient, plant.id);
    const timer = window.setTimeout(() => void send(plant), undoMs);
    waiting.current.set(plant.id, { send: () => void send(plant), timer });
    setLast({ plant });
  };

  const undo = () => {
    if (last === undefined) return;
    const pending = waiting.current.get(last.plant.id);
    if (pending !== undefined) {
      window.clearTimeout(pending.timer);
      waiting.current.delete(last.plant.id);
      putIn(queryClient, last.plant, filter);
    }
    setLast(undefined);
  };

  useEffect(() => {
    const { current } = waiting;
    const sendAll = () => {
      for (const { send: sendNow, timer } of [...current.values()]) {
        window.clearTimeout(timer);
        sendNow();
      }
    };
    window.addEventListener('pagehide', sendAll);
    return () => {
      window.removeEventListener('pagehide', sendAll);
      sendAll();
    };
  }, []);

  return { last, remove, undo, dismiss: () => setLast(undefined) };
}
