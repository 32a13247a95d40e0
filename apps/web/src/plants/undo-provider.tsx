import { type Client, type Fetch, unwrap } from '@plant-store/client';
import type { StoredPlant } from '@plant-store/contract/operations';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useEffect, useReducer, useState } from 'react';
import { type PlantFilter, useRoute } from '../route.js';
import { explain } from '../shared/explain.js';
import { loadPart } from '../shared/load-boundary.js';
import { type PlantStore, queryKeys, usePlantStore } from '../shared/plant-store.js';
import { warnBeforeClosing } from '../shared/warn-before-closing.js';
import {
  type Action,
  type Change,
  type Edited,
  idsOf,
  reduceUndo,
  type UndoEvent,
  type UndoState,
} from './undo-state.js';
import { addToLists, refreshLists, removeFromLists } from './use-plants.js';

/** How long a delete waits before it is sent. Until then, an undo needs no request and does not change the plant. */
export const deleteDelayMs = 10_000;

/** The maximum number of plants that can be deleted while the tab closes. Browsers limit such requests to 64 KiB. */
const maxKeepaliveDeletes = 2_000;

interface Undo extends UndoState, Omit<ReturnType<typeof createUndoRequests>, 'follow' | 'undo'> {
  /** Undoes an action, by default the last one. */
  undo(action?: Action): Promise<void>;
  dismiss(action: Action): void;
}

const UndoContext = createContext<Undo | undefined>(undefined);

/** Returns the actions on plants, and functions to undo them. @throws {Error} outside the provider */
export function useUndo(): Undo {
  const undo = use(UndoContext);
  if (undo === undefined) throw new Error('There is no UndoProvider above.');
  return undo;
}

/**
 * Keeps the actions on plants across views. Undoing a sent delete creates the plants again with the same IDs. Undoing an edit edits each
 * plant. The token can lack the scope for either. Plants that could not be deleted are shown again.
 */
export function UndoProvider({ children }: { readonly children: ReactNode }) {
  const { client, rejectToken } = usePlantStore();
  const page = { client, rejectToken, queryClient: useQueryClient(), filter: useRoute().filter };
  const [state, dispatch] = useReducer(reduceUndo, { actions: [], pendingDeletes: new Set<bigint>() });
  const [requests] = useState(() => createUndoRequests(page, dispatch));
  useEffect(() => requests.follow(page));

  const isOverLimit = state.pendingDeletes.size > maxKeepaliveDeletes;
  useEffect(() => (isOverLimit ? warnBeforeClosing() : undefined), [isOverLimit]);
  useEffect(() => {
    window.addEventListener('pagehide', requests.sendWaiting);
    return () => window.removeEventListener('pagehide', requests.sendWaiting);
  }, [requests]);

  const last = state.actions.find((action) => ['waiting', 'sent', 'done'].includes(action.state));
  return (
    <UndoContext
      value={{
        ...state,
        ...requests,
        undo: async (action = last) => action && requests.undo(action),
        dismiss: (action) => dispatch({ type: 'dismiss', change: action }),
      }}
    >
      {children}
    </UndoContext>
  );
}

/** The parts of the page that the requests use. */
interface Page extends Pick<PlantStore, 'client' | 'rejectToken'> {
  readonly queryClient: QueryClient;
  readonly filter: PlantFilter;
}

type Plants = readonly StoredPlant[];

/**
 * Sends the requests. A request can outlive the render and the view that started it, so `follow` passes the current page. The other data
 * stays out of the React state, because the page does not show it.
 */
function createUndoRequests(initialPage: Page, dispatch: (event: UndoEvent) => void) {
  let page = initialPage;
  let lastKey = 0;
  /** The waiting deletes, by key. */
  const waiting = new Map<number, { readonly change: Change; readonly timer: number }>();
  /** The plants that each sent request deleted, by key, until an undo restores them. */
  const deleted = new Map<number, Promise<Plants>>();
  /** The functions that undo imports, by key. */
  const imports = new Map<number, () => void>();

  const explainChange = (error: unknown) => {
    const failure = explain(error, 'change');
    if (failure.about === 'token') page.rejectToken(failure.message);
    return failure;
  };
  const forgetPlants = () => page.queryClient.removeQueries({ queryKey: queryKeys.getPlant.queryKey() });
  /** Cancels the timer of a delete. Returns whether it was still waiting. */
  const stopWaiting = (key: number) => {
    window.clearTimeout(waiting.get(key)?.timer);
    return waiting.delete(key);
  };
  /** Sends a waiting delete, or retries a failed one. */
  const send = (change: Change) => {
    stopWaiting(change.key);
    dispatch({ type: 'send', change });
    deleted.set(change.key, requestDelete(change));
  };
  const requestDelete = async (change: Change): Promise<Plants> => {
    try {
      const rejected = await deletePlants(page.client, change.plants);
      const plants = change.plants.filter(({ id }) => !rejected.has(id));
      removeFromLists(page.queryClient, idsOf(plants));
      forgetPlants();
      dispatch({ type: 'confirm', change: { ...change, plants } });
      const [cause] = rejected.values();
      if (cause !== undefined) {
        const notDeleted = { key: ++lastKey, plants: change.plants.filter(({ id }) => rejected.has(id)) };
        dispatch({ type: 'fail', change: notDeleted, failure: { about: 'plant', message: cause, cause } });
      }
      return plants;
    } catch (error) {
      // Some plants might be deleted. The lists keep their data until they are reloaded, so the others appear again.
      refreshLists(page.queryClient);
      dispatch({ type: 'fail', change, failure: explainChange(error) });
      return [];
    }
  };

  return {
    follow(current: Page) {
      page = current;
    },
    /** Deletes plants after a delay. Until then, an undo needs no request. */
    remove(plants: Plants) {
      if (plants.length === 0) return;
      if (plants.length > 1) void loadRequests().catch(() => undefined);
      const change = { key: ++lastKey, plants };
      waiting.set(change.key, { change, timer: window.setTimeout(send, deleteDelayMs, change) });
      dispatch({ type: 'wait', change });
    },
    /** Sends waiting deletes immediately. */
    sendWaiting() {
      for (const { change } of [...waiting.values()]) send(change);
    },
    send,
    /** Adds a completed edit. @param plants the plants before the edit */
    addEdit(plants: Plants, edit: Omit<Edited, 'skippedCount'>) {
      dispatch({ type: 'edit', change: { key: ++lastKey, plants, edit: { ...edit, skippedCount: 0 } } });
      forgetPlants();
    },
    /**
     * Adds a completed import.
     *
     * @param label what was done, such as "300 plants imported"
     * @param undoImport undoes it in the view of the import
     * @returns a function that removes it, for when it can no longer be undone
     */
    addImport(label: string, undoImport: () => void): () => void {
      const change = { key: ++lastKey, plants: [], edit: { label, etags: new Map(), skippedCount: 0 } };
      imports.set(change.key, undoImport);
      dispatch({ type: 'edit', change });
      return () => dispatch({ type: 'dismiss', change });
    },
    async undo(change: Change): Promise<void> {
      const undoImport = imports.get(change.key);
      if (undoImport !== undefined) {
        dispatch({ type: 'dismiss', change });
        return undoImport();
      }
      if (stopWaiting(change.key)) return dispatch({ type: 'cancel', change });
      dispatch({ type: 'undo', change });
      const endWarning = warnBeforeClosing();
      try {
        const { restoreDeleted, undoEdit } = await loadRequests();
        const plants = (await deleted.get(change.key)) ?? change.plants;
        // If the delete failed, that was already reported.
        if (plants.length === 0) return;
        const { restored, remaining, error } = await (change.edit === undefined
          ? restoreDeleted(page.client, { ...change, plants }, (count) =>
              dispatch({ type: 'count', change, count }),
            )
          : undoEdit(page.client, change, change.edit));
        addToLists(page.queryClient, restored, page.filter);
        forgetPlants();
        deleted.delete(change.key);
        if (remaining.plants.length === 0)
          dispatch({ type: 'restore', change: { ...remaining, plants }, restored });
        else dispatch({ type: 'failUndo', change: remaining, failure: explainChange(error) });
      } catch (error) {
        dispatch({ type: 'failUndo', change, failure: explainChange(error) });
      } finally {
        endWarning();
      }
    },
  };
}

/** Sends a request that continues when the tab closes. */
const keepaliveFetch: Fetch = (url, init) => fetch(url, { ...init, keepalive: true });

/** Kept after the first load, because a closing tab does not wait for promises, not even resolved ones. */
let requestsModule: typeof import('./undo-requests.js') | undefined;
const loadRequests = async () => {
  requestsModule ??= await loadPart(() => import('./undo-requests.js'));
  return requestsModule;
};

/** Deletes plants. Returns why some were not deleted, by ID. */
async function deletePlants(client: Client, plants: Plants): Promise<ReadonlyMap<bigint, string>> {
  const [first, ...others] = plants;
  if (first !== undefined && others.length === 0) {
    await unwrap(client.deletePlant({ params: { id: first.id }, fetch: keepaliveFetch }));
    return new Map();
  }
  const requests = requestsModule ?? (await loadRequests());
  return requests.deletePlants(client, plants, keepaliveFetch);
}
