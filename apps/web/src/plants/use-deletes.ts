import type { Fetch } from '@plant-store/client';
import { isRejectedError } from '@plant-store/client/tanstack-query';
import { unwrap } from '@plant-store/client/unwrap';
import type { StoredPlant } from '@plant-store/contract/operations';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { PlantFilter } from '../route.js';
import { explainError, explainRejection, type Failure } from '../shared/explain-failure.js';
import { usePlantStore } from '../shared/plant-store.js';
import { reuseId } from '../shared/reuse-id.js';
import { putIn, takeOut } from './use-plants.js';

/** How long the request of a delete waits, in milliseconds: so long nothing of the plant changes by an undo. */
export const undoMs = 10_000;

/** A plant that was deleted a moment ago. */
export interface Deleted {
  readonly plant: StoredPlant;
  /** Whether it is gone, so that it can be brought back. */
  readonly isGone: boolean;
  /** Why it is still there, or still gone. */
  readonly failure?: Failure;
}

/** So that a request outlives its tab. */
const fetchBeyondTab: Fetch = (url, init) => fetch(url, { ...init, keepalive: true });

/**
 * Deletes plants, each after a time in which an undo needs no request, or when the tab closes or the view goes. Later an undo gives
 * the id to the same plant again, for which the token may lack a scope. Where the service rejects the token, a plant that is still
 * there is shown again.
 */
export function useDeletes(filter: PlantFilter) {
  const { client, rejectToken } = usePlantStore();
  const queryClient = useQueryClient();
  const [last, setLast] = useState<Deleted>();
  const waiting = useRef(new Map<bigint, { readonly send: () => void; readonly timer: number }>());
  /** The request that was sent last: whether its plant is deleted. */
  const sending = useRef(Promise.resolve(false));
  const latest = useRef(filter);
  useEffect(() => {
    latest.current = filter;
  });

  const fail = useCallback(
    (plant: StoredPlant, isGone: boolean, error: unknown) => {
      const failure = isRejectedError(error) ? explainRejection(error) : explainError(error);
      if (failure.about === 'token') rejectToken(failure.message);
      else setLast({ plant, isGone, failure });
    },
    [rejectToken],
  );

  const send = useCallback(
    async (plant: StoredPlant) => {
      waiting.current.delete(plant.id);
      try {
        await unwrap(client.deletePlant({ params: { id: plant.id }, fetch: fetchBeyondTab }));
        queryClient.removeQueries({ queryKey: ['plant-store', 'getPlant'] });
        return true;
      } catch (error) {
        putIn(queryClient, plant, latest.current);
        fail(plant, false, error);
        return false;
      }
    },
    [client, queryClient, fail],
  );

  const remove = (plant: StoredPlant) => {
    takeOut(queryClient, plant.id);
    const sendNow = () => {
      sending.current = send(plant);
    };
    waiting.current.set(plant.id, { send: sendNow, timer: window.setTimeout(sendNow, undoMs) });
    setLast({ plant, isGone: true });
  };

  const undo = async () => {
    if (last === undefined) return;
    const { plant } = last;
    const pending = waiting.current.get(plant.id);
    window.clearTimeout(pending?.timer);
    waiting.current.delete(plant.id);
    setLast(undefined);
    try {
      if (pending === undefined && !(await sending.current)) return;
      const shown = pending === undefined ? await reuseId(client, plant) : plant;
      putIn(queryClient, shown, latest.current);
    } catch (error) {
      fail(plant, true, error);
    }
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
