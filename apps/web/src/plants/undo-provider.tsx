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
import { checkLists, putIn, takeOut } from './use-plants.js';

/** How long a delete waits before it is sent, in milliseconds. Until then an undo leaves the plant unchanged. */
export const undoMs = 10_000;

/** How many plants can be deleted by requests that outlive the tab: browsers permit 64 KiB of them. */
const maxBeyondTab = 2_000;

interface Undo extends UndoState, Omit<ReturnType<typeof createUndoRequests>, 'follow' | 'undo'> {
  /** Restores plants, by default the plants of the last action. */
  undo(action?: Action): Promise<void>;
  dismiss(action: Action): void;
}

const UndoContext = createContext<Undo | undefined>(undefined);

/** The actions on plants, and their undo. @throws {Error} outside of the provider */
export function useUndo(): Undo {
  const undo = use(UndoContext);
  if (undo === undefined) throw new Error('There is no UndoProvider above.');
  return undo;
}

/**
 * Keeps the actions on plants across views. The undo of a sent delete creates the plants again under their ids, and that of an edit edits
 * each plant; the token may lack the scope for either. Plants that could not be deleted are shown again.
 */
export function UndoProvider({ children }: { readonly children: ReactNode }) {
  const { client, rejectToken } = usePlantStore();
  const page = { client, rejectToken, queryClient: useQueryClient(), filter: useRoute().filter };
  const [state, dispatch] = useReducer(reduceUndo, { actions: [], leaving: new Set<bigint>() });
  const [requests] = useState(() => createUndoRequests(page, dispatch));
  useEffect(() => requests.follow(page));

  const isMany = state.leaving.size > maxBeyondTab;
  useEffect(() => (isMany ? warnBeforeClosing() : undefined), [isMany]);
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
 * Sends the requests. A request may outlive the render and the view in which it began, so this follows the page. Its other data is not in
 * the state, because the page does not show it.
 */
function createUndoRequests(opened: Page, dispatch: (event: UndoEvent) => void) {
  let page = opened;
  let lastKey = 0;
  /** The waiting deletes, by key. */
  const waiting = new Map<number, { readonly change: Change; readonly timer: number }>();
  /** The plants deleted by sent requests, until an undo restores some. */
  const gone = new Map<number, Promise<Plants>>();
  /** The functions that undo imports, by key. */
  const imports = new Map<number, () => void>();

  const explainChange = (error: unknown) => {
    const failure = explain(error, 'change');
    if (failure.about === 'token') page.rejectToken(failure.message);
    return failure;
  };
  const forgetPlants = () => page.queryClient.removeQueries({ queryKey: queryKeys.getPlant.queryKey() });
  /** Ends the wait of a delete, and returns whether it waited. */
  const endWait = (key: number) => {
    window.clearTimeout(waiting.get(key)?.timer);
    return waiting.delete(key);
  };
  /** Sends a waiting delete, or retries a failed one. */
  const send = (change: Change) => {
    endWait(change.key);
    dispatch({ type: 'send', change });
    gone.set(change.key, requestDelete(change));
  };
  const requestDelete = async (change: Change): Promise<Plants> => {
    try {
      const rejected = await deletePlants(page.client, change.plants);
      const plants = change.plants.filter(({ id }) => !rejected.has(id));
      takeOut(page.queryClient, idsOf(plants));
      forgetPlants();
      dispatch({ type: 'confirm', change: { ...change, plants } });
      const [cause] = rejected.values();
      if (cause !== undefined) {
        const others = { key: ++lastKey, plants: change.plants.filter(({ id }) => rejected.has(id)) };
        dispatch({ type: 'fail', change: others, failure: { about: 'plant', message: cause, cause } });
      }
      return plants;
    } catch (error) {
      // Some of them may be gone. The others are shown again even if nothing can be read.
      checkLists(page.queryClient);
      dispatch({ type: 'fail', change, failure: explainChange(error) });
      return [];
    }
  };

  return {
    follow(now: Page) {
      page = now;
    },
    /** Deletes plants after a delay. During it, an undo needs no request. */
    remove(plants: Plants) {
      if (plants.length === 0) return;
      if (plants.length > 1) void loadSeveral().catch(() => undefined);
      const change = { key: ++lastKey, plants };
      waiting.set(change.key, { change, timer: window.setTimeout(send, undoMs, change) });
      dispatch({ type: 'wait', change });
    },
    /** Sends waiting deletes immediately. */
    sendWaiting() {
      for (const { change } of [...waiting.values()]) send(change);
    },
    send,
    /** Adds an edit that was done. @param plants the plants before the edit */
    addEdit(plants: Plants, edit: Omit<Edited, 'kept'>) {
      dispatch({ type: 'edit', change: { key: ++lastKey, plants, edit: { ...edit, kept: 0 } } });
      forgetPlants();
    },
    /**
     * Adds a completed import. The view that ran it undoes it.
     *
     * @param label what was done, such as "300 plants imported"
     * @returns a function that removes it, once it cannot be undone there
     */
    addImport(label: string, undoImport: () => void): () => void {
      const change = { key: ++lastKey, plants: [], edit: { label, etags: new Map(), kept: 0 } };
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
      if (endWait(change.key)) return dispatch({ type: 'cancel', change });
      dispatch({ type: 'undo', change });
      const endWarning = warnBeforeClosing();
      try {
        const { bringBack, undoEdit } = await loadPart(() => import('./undo-requests.js'));
        const plants = (await gone.get(change.key)) ?? change.plants;
        // A failed delete has already reported it.
        if (plants.length === 0) return;
        const { back, left, error } = await (change.edit === undefined
          ? bringBack(page.client, { ...change, plants }, (count) =>
              dispatch({ type: 'count', change, count }),
            )
          : undoEdit(page.client, change, change.edit));
        putIn(page.queryClient, back, page.filter);
        forgetPlants();
        gone.delete(change.key);
        if (left.plants.length === 0) dispatch({ type: 'restore', change: { ...left, plants }, back });
        else dispatch({ type: 'failUndo', change: left, failure: explainChange(error) });
      } catch (error) {
        dispatch({ type: 'failUndo', change, failure: explainChange(error) });
      } finally {
        endWarning();
      }
    },
  };
}

/** Lets a request outlive its tab. */
const fetchBeyondTab: Fetch = (url, init) => fetch(url, { ...init, keepalive: true });

/** Kept once loaded, because a closing tab does not wait for promises, not even resolved ones. */
let several: typeof import('./delete-several.js') | undefined;
const loadSeveral = async () => {
  several ??= await loadPart(() => import('./delete-several.js'));
  return several;
};

/** Deletes plants, and returns why some were not deleted, by their IDs. */
async function deletePlants(client: Client, plants: Plants): Promise<ReadonlyMap<bigint, string>> {
  const [first, ...others] = plants;
  if (first !== undefined && others.length === 0) {
    await unwrap(client.deletePlant({ params: { id: first.id }, fetch: fetchBeyondTab }));
    return new Map();
  }
  const { deleteSeveral } = several ?? (await loadSeveral());
  return deleteSeveral(client, plants, fetchBeyondTab);
}
