import type { Fetch } from '@plant-store/client';
import { unwrap } from '@plant-store/client/unwrap';
import type { StoredPlant } from '@plant-store/contract/operations';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { PlantFilter } from '../route.js';
import { explainFailure, type Failure } from '../shared/explain-failure.js';
import { usePlantStore } from '../shared/plant-store.js';
import { reuseId } from '../shared/reuse-id.js';
import { putIn, takeOut } from './use-plants.js';

/** How long the request of a delete waits, in milliseconds: so long nothing of the plant changes by an undo. */
export const undoMs = 10_000;

/** How many of the plants that were deleted last can be brought back. */
export const maxUndos = 5;

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
  const [deleted, setDeleted] = useState<readonly Deleted[]>([]);
  const [leaving, setLeaving] = useState<ReadonlySet<bigint>>(new Set());
  const waiting = useRef(new Map<bigint, { readonly send: () => void; readonly timer: number }>());
  /** The requests that were sent: whether each plant is deleted. */
  const sending = useRef(new Map<bigint, Promise<boolean>>());
  const latest = useRef(filter);
  useEffect(() => {
    latest.current = filter;
  });

  const leave = useCallback((id: bigint, isLeaving: boolean) => {
    setLeaving(
      (before) => new Set(isLeaving ? [...before, id] : [...before].filter((other) => other !== id)),
    );
  }, []);
  const drop = useCallback((id: bigint) => {
    setDeleted((before) => before.filter(({ plant }) => plant.id !== id));
  }, []);
  const list = useCallback((entry: Deleted) => {
    setDeleted((before) =>
      [entry, ...before.filter(({ plant }) => plant.id !== entry.plant.id)].slice(0, maxUndos),
    );
  }, []);

  const fail = useCallback(
    (plant: StoredPlant, isGone: boolean, error: unknown) => {
      const failure = explainFailure(error, 'change');
      if (failure.about !== 'token') return list({ plant, isGone, failure });
      if (!isGone) drop(plant.id);
      rejectToken(failure.message);
    },
    [rejectToken, list, drop],
  );

  const send = useCallback(
    async (plant: StoredPlant) => {
      waiting.current.delete(plant.id);
      try {
        await unwrap(client.deletePlant({ params: { id: plant.id }, fetch: fetchBeyondTab }));
        takeOut(queryClient, plant.id);
        queryClient.removeQueries({ queryKey: ['plant-store', 'getPlant'] });
        return true;
      } catch (error) {
        putIn(queryClient, plant, latest.current);
        fail(plant, false, error);
        return false;
      } finally {
        leave(plant.id, false);
      }
    },
    [client, queryClient, fail, leave],
  );

  const remove = (plant: StoredPlant) => {
    const sendNow = () => {
      sending.current.set(plant.id, send(plant));
    };
    waiting.current.set(plant.id, { send: sendNow, timer: window.setTimeout(sendNow, undoMs) });
    leave(plant.id, true);
    list({ plant, isGone: true });
  };

  const undo = async ({ plant }: Deleted) => {
    const { id } = plant;
    const pending = waiting.current.get(id);
    window.clearTimeout(pending?.timer);
    waiting.current.delete(id);
    drop(id);
    if (pending !== undefined) return leave(id, false);
    try {
      if (await sending.current.get(id)) putIn(queryClient, await reuseId(client, plant), latest.current);
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

  return {
    /** The latest first. */
    deleted,
    /** The plants whose delete waits or is in flight, which no list shows. */
    leaving,
    remove,
    undo,
    dismiss: ({ plant }: Deleted) => drop(plant.id),
  };
}
