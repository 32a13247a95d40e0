import type { Client, Fetch } from '@plant-store/client';
import { unwrap } from '@plant-store/client/unwrap';
import type { StoredPlant } from '@plant-store/contract/operations';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { PlantFilter } from '../route.js';
import { explainFailure, type Failure } from '../shared/explain-failure.js';
import { inParallel } from '../shared/in-parallel.js';
import { loadPart } from '../shared/load-boundary.js';
import { usePlantStore } from '../shared/plant-store.js';
import { reuseId } from '../shared/reuse-id.js';
import { forgetLists, putInAll, takeOutAll } from './use-plants.js';

/** How long the request of a delete waits, in milliseconds: so long nothing of the plant changes by an undo. */
export const undoMs = 10_000;

/** How many deletes can be undone. */
export const maxUndos = 5;

/** Plants that were deleted together a moment ago. */
export interface Deleted {
  readonly key: number;
  readonly plants: readonly StoredPlant[];
  /** Whether they are gone, so that they can be brought back. */
  readonly isGone: boolean;
  /** Whether they are being brought back. */
  readonly isBusy?: boolean;
  /** Why they are still there, or still gone. */
  readonly failure?: Failure;
}

/** So that a request outlives its tab. */
const fetchBeyondTab: Fetch = (url, init) => fetch(url, { ...init, keepalive: true });

/** How many plants can be deleted by requests that outlive the tab: browsers permit 64 KiB of them. */
const maxBeyondTab = 2_000;

const idsOf = (plants: readonly StoredPlant[]): ReadonlySet<bigint> => new Set(plants.map(({ id }) => id));

/**
 * Deletes plants, each time after a time in which an undo needs no request, or when the tab closes or the view goes. Later an undo
 * gives the ids to the same plants again, for which the token may lack a scope. Where the service rejects the token, plants that are
 * still there are shown again.
 */
export function useDeletes(filter: PlantFilter) {
  const { client, rejectToken } = usePlantStore();
  const queryClient = useQueryClient();
  const [deleted, setDeleted] = useState<readonly Deleted[]>([]);
  const [leaving, setLeaving] = useState<ReadonlySet<bigint>>(new Set());
  const lastKey = useRef(0);
  const waiting = useRef(new Map<number, { readonly send: () => void; readonly timer: number }>());
  /** The plants that are gone, by the requests that were sent. */
  const sending = useRef(new Map<number, Promise<readonly StoredPlant[]>>());
  const latest = useRef(filter);
  useEffect(() => {
    latest.current = filter;
  });

  const leave = useCallback((ids: ReadonlySet<bigint>, isLeaving: boolean) => {
    setLeaving(
      (before) => new Set(isLeaving ? [...before, ...ids] : [...before].filter((other) => !ids.has(other))),
    );
  }, []);
  const drop = useCallback((key: number) => {
    setDeleted((before) => before.filter((other) => other.key !== key));
  }, []);
  const list = useCallback((entry: Deleted) => {
    setDeleted((before) => [entry, ...before.filter(({ key }) => key !== entry.key)].slice(0, maxUndos));
  }, []);

  const fail = useCallback(
    (entry: Pick<Deleted, 'key' | 'plants' | 'isGone'>, error: unknown) => {
      const failure = explainFailure(error, 'change');
      if (failure.about !== 'token') return list({ ...entry, failure });
      drop(entry.key);
      rejectToken(failure.message);
    },
    [rejectToken, list, drop],
  );

  const send = useCallback(
    async (key: number, plants: readonly StoredPlant[]) => {
      waiting.current.delete(key);
      try {
        const rejected = await deletePlants(client, plants);
        const gone = plants.filter(({ id }) => !rejected.has(id));
        takeOutAll(queryClient, idsOf(gone));
        queryClient.removeQueries({ queryKey: ['plant-store', 'getPlant'] });
        const [cause] = rejected.values();
        if (cause !== undefined) {
          const failure = { about: 'plant', message: cause, cause } as const;
          const others = plants.filter(({ id }) => rejected.has(id));
          setDeleted((before) => before.map((each) => (each.key === key ? { ...each, plants: gone } : each)));
          list({ key: ++lastKey.current, plants: others, isGone: false, failure });
        }
        return gone;
      } catch (error) {
        if (plants.length === 1) putInAll(queryClient, plants, latest.current);
        // Some of them may be gone.
        else forgetLists(queryClient);
        fail({ key, plants, isGone: false }, error);
        return [];
      } finally {
        leave(idsOf(plants), false);
      }
    },
    [client, queryClient, fail, leave, list],
  );

  const remove = (plants: readonly StoredPlant[]) => {
    if (plants.length === 0) return;
    if (plants.length > 1) void loadBulk();
    const key = ++lastKey.current;
    const sendNow = () => {
      sending.current.set(key, send(key, plants));
    };
    waiting.current.set(key, { send: sendNow, timer: window.setTimeout(sendNow, undoMs) });
    leave(idsOf(plants), true);
    list({ key, plants, isGone: true });
  };

  /** Brings plants back, by default those that were deleted last. */
  const undo = async (entry = deleted.find(({ isGone, isBusy }) => isGone && !isBusy)) => {
    if (entry === undefined) return;
    const { key, plants } = entry;
    const pending = waiting.current.get(key);
    window.clearTimeout(pending?.timer);
    waiting.current.delete(key);
    if (pending !== undefined) {
      drop(key);
      return leave(idsOf(plants), false);
    }
    list({ key, plants, isGone: true, isBusy: true });
    const back: StoredPlant[] = [];
    const failed: StoredPlant[] = [];
    let lastError: unknown;
    await inParallel((await sending.current.get(key)) ?? [], async (plant) => {
      try {
        back.push(await reuseId(client, plant));
      } catch (error) {
        lastError = error;
        failed.push(plant);
      }
    });
    putInAll(queryClient, back, latest.current);
    sending.current.set(key, Promise.resolve(failed));
    if (failed.length > 0) fail({ key, plants: failed, isGone: true }, lastError);
    // What could not be deleted has said so.
    else setDeleted((before) => before.filter((each) => each.key !== key || !each.isGone));
  };

  const isMany = leaving.size > maxBeyondTab;
  useEffect(() => {
    if (!isMany) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [isMany]);

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
    dismiss: ({ key }: Deleted) => drop(key),
  };
}

/** Loaded before it is needed: a tab that closes loads nothing. */
const loadBulk = () => loadPart(() => import('@plant-store/client/bulk'));

/** Deletes plants, and returns why some were not deleted, by their ids. */
async function deletePlants(
  client: Client,
  plants: readonly StoredPlant[],
): Promise<ReadonlyMap<bigint, string>> {
  const rejected = new Map<bigint, string>();
  const [first, ...others] = plants;
  if (first !== undefined && others.length === 0) {
    await unwrap(client.deletePlant({ params: { id: first.id }, fetch: fetchBeyondTab }));
    return rejected;
  }
  const { deleteAll } = await loadBulk();
  const ids = plants.map(({ id }) => id);
  for await (const { id, message } of deleteAll(client, ids, { fetch: fetchBeyondTab })) {
    rejected.set(BigInt(id), message);
  }
  return rejected;
}
