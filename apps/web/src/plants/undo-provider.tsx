import { type Client, type Fetch, unwrap } from '@plant-store/client';
import type { StoredPlant } from '@plant-store/contract/operations';
import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useCallback, useEffect, useRef, useState } from 'react';
import { useRoute } from '../route.js';
import { explainFailure, type Failure } from '../shared/explain-failure.js';
import { loadPart } from '../shared/load-boundary.js';
import { queryKeys, usePlantStore } from '../shared/plant-store.js';
import { warnBeforeClosing } from '../shared/warn-before-closing.js';
import type { Tagging } from './undo-requests.js';
import { checkLists, putInAll, takeOutAll } from './use-plants.js';

/** How long the request of a delete waits, in milliseconds: so long nothing of the plant changes by an undo. */
export const undoMs = 10_000;

/** How many actions can be undone. */
export const maxUndos = 5;

/** What was done to plants together: they were deleted, or tagged. */
export interface Action {
  readonly key: number;
  /** As they were before; once it is `undone`, those that are so again. */
  readonly plants: readonly StoredPlant[];
  /**
   * `waiting`: nothing was sent yet; `sent`: there is no reply yet; `failed`: they are not deleted, or not certainly; `done`: it can
   * be undone; `undoing` and `undone`.
   */
  readonly state: 'waiting' | 'sent' | 'failed' | 'done' | 'undoing' | 'undone';
  /** How many deleted plants came back, while it is `undoing`. */
  readonly count?: number;
  /** Why it failed, or its undo. */
  readonly failure?: Failure | undefined;
  /** That by which they got a tag, unless they were deleted. */
  readonly tagging?: Tagging;
}

interface Undo {
  /** What was done last, the latest first. */
  readonly actions: readonly Action[];
  /** The plants whose delete waits or is in flight, which no list shows. */
  readonly leaving: ReadonlySet<bigint>;
  /** Deletes plants, after a time in which an undo needs no request. */
  remove(plants: readonly StoredPlant[]): void;
  /** Sends the deletes that wait at once. */
  sendWaiting(): void;
  /** Sends a delete again that failed. */
  tryAgain(action: Action): void;
  /** Adds a tagging that was done. */
  addTagging(done: Pick<Required<Action>, 'plants' | 'tagging'>): void;
  /** Makes plants what they were, by default those of the last action. */
  undo(action?: Action): Promise<void>;
  dismiss(action: Action): void;
}

const UndoContext = createContext<Undo | undefined>(undefined);

/** What was done to plants, and its undo. @throws {Error} outside of the provider */
export function useUndo(): Undo {
  const undo = use(UndoContext);
  if (undo === undefined) throw new Error('There is no UndoProvider above.');
  return undo;
}

/** So that a request outlives its tab. */
const fetchBeyondTab: Fetch = (url, init) => fetch(url, { ...init, keepalive: true });

/** How many plants can be deleted by requests that outlive the tab: browsers permit 64 KiB of them. */
const maxBeyondTab = 2_000;

const idsOf = (plants: readonly StoredPlant[]): ReadonlySet<bigint> => new Set(plants.map(({ id }) => id));

/**
 * Keeps what was done to plants as long as it is shown, whatever view is. An undo after a delete was sent gives the ids to the same
 * plants again, that of a tagging edits each, for which the token may lack a scope. Plants that are not deleted are shown again.
 */
export function UndoProvider({ children }: { readonly children: ReactNode }) {
  const { client, rejectToken } = usePlantStore();
  const queryClient = useQueryClient();
  const { filter } = useRoute();
  const [actions, setActions] = useState<readonly Action[]>([]);
  const [leaving, setLeaving] = useState<ReadonlySet<bigint>>(new Set());
  const lastKey = useRef(0);
  const waiting = useRef(new Map<number, { readonly send: () => void; readonly timer: number }>());
  /** The plants that are gone, by the requests that were sent. */
  const sending = useRef(new Map<number, Promise<readonly StoredPlant[]>>());
  // A delete may be sent, and a tagging end, long after it was asked for.
  const latest = useRef({ client, rejectToken, queryClient, filter });
  useEffect(() => {
    latest.current = { client, rejectToken, queryClient, filter };
  });

  const leave = (ids: ReadonlySet<bigint>, isLeaving: boolean) =>
    setLeaving(
      (before) => new Set(isLeaving ? [...before, ...ids] : [...before].filter((other) => !ids.has(other))),
    );
  const drop = (key: number) => setActions((before) => before.filter((other) => other.key !== key));
  /** Puts an action first; what says only that one was undone goes. */
  const list = (action: Action) =>
    setActions((before) => {
      const others = before.filter(({ key, state }) => key !== action.key && state !== 'undone');
      return [action, ...others].slice(0, maxUndos);
    });
  /** Changes an action where it is, unless it was dismissed. */
  const update = (key: number, changes: Partial<Action>) =>
    setActions((before) => before.map((each) => (each.key === key ? { ...each, ...changes } : each)));
  const fail = (action: Action, error: unknown) => {
    const failure = explainFailure(error, 'change');
    list({ ...action, failure });
    if (failure.about === 'token') latest.current.rejectToken(failure.message);
  };
  const show = (plants: readonly StoredPlant[]) => {
    putInAll(latest.current.queryClient, plants, latest.current.filter);
    forgetPlants();
  };
  const forgetPlants = () =>
    latest.current.queryClient.removeQueries({ queryKey: queryKeys.getPlant.queryKey() });

  const send = async (key: number, plants: readonly StoredPlant[]) => {
    waiting.current.delete(key);
    update(key, { state: 'sent', failure: undefined });
    try {
      const rejected = await deletePlants(latest.current.client, plants);
      const gone = plants.filter(({ id }) => !rejected.has(id));
      takeOutAll(latest.current.queryClient, idsOf(gone));
      forgetPlants();
      if (gone.length === 0) drop(key);
      else update(key, { state: 'done', plants: gone });
      const [cause] = rejected.values();
      if (cause !== undefined) {
        const failure = { about: 'plant', message: cause, cause } as const;
        const others = plants.filter(({ id }) => rejected.has(id));
        list({ key: ++lastKey.current, plants: others, state: 'failed', failure });
      }
      return gone;
    } catch (error) {
      // Some of them may be gone; those that are not come back even if nothing can be read.
      checkLists(latest.current.queryClient);
      fail({ key, plants, state: 'failed' }, error);
      return [];
    } finally {
      leave(idsOf(plants), false);
    }
  };
  const start = (key: number, plants: readonly StoredPlant[]) => {
    sending.current.set(key, send(key, plants));
  };

  const remove = (plants: readonly StoredPlant[]) => {
    if (plants.length === 0) return;
    if (plants.length > 1) void loadBulk().catch(() => undefined);
    const key = ++lastKey.current;
    const sendNow = () => start(key, plants);
    waiting.current.set(key, { send: sendNow, timer: window.setTimeout(sendNow, undoMs) });
    leave(idsOf(plants), true);
    list({ key, plants, state: 'waiting' });
  };

  const undo = async (
    action = actions.find(({ state }) => ['waiting', 'sent', 'done'].includes(state)),
  ): Promise<void> => {
    if (action === undefined) return;
    const { key, plants, tagging } = action;
    const pending = waiting.current.get(key);
    window.clearTimeout(pending?.timer);
    waiting.current.delete(key);
    if (pending !== undefined) {
      drop(key);
      return leave(idsOf(plants), false);
    }
    const { failure: _, count: __, ...undoing } = action;
    list({ ...undoing, state: 'undoing' });
    const endWarning = warnBeforeClosing();
    try {
      const { bringBack, undoTagging } = await loadPart(() => import('./undo-requests.js'));
      const gone = (await sending.current.get(key)) ?? [];
      // What could not be deleted has said so.
      if (tagging === undefined && gone.length === 0) return;
      const { back, left, kept, error } = await (tagging === undefined
        ? bringBack(latest.current.client, gone, (count) => update(key, { count }))
        : undoTagging(latest.current.client, plants, tagging));
      show(back);
      sending.current.set(key, Promise.resolve(left));
      const counted = tagging && { tagging: { ...tagging, kept } };
      if (left.length > 0) fail({ ...undoing, ...counted, plants: left, state: 'done' }, error);
      else update(key, { ...counted, plants: back, state: 'undone' });
    } catch (error) {
      fail({ ...undoing, state: 'done' }, error);
    } finally {
      endWarning();
    }
  };

  const addTagging: Undo['addTagging'] = (done) => {
    list({ key: ++lastKey.current, state: 'done', ...done });
    forgetPlants();
  };

  const isMany = leaving.size > maxBeyondTab;
  useEffect(() => (isMany ? warnBeforeClosing() : undefined), [isMany]);

  const sendWaiting = useCallback(() => {
    for (const { send: sendNow, timer } of [...waiting.current.values()]) {
      window.clearTimeout(timer);
      sendNow();
    }
  }, []);
  useEffect(() => {
    window.addEventListener('pagehide', sendWaiting);
    return () => window.removeEventListener('pagehide', sendWaiting);
  }, [sendWaiting]);

  return (
    <UndoContext
      value={{
        actions,
        leaving,
        remove,
        sendWaiting,
        tryAgain({ key, plants }) {
          leave(idsOf(plants), true);
          start(key, plants);
        },
        addTagging,
        undo,
        dismiss: ({ key }) => drop(key),
      }}
    >
      {children}
    </UndoContext>
  );
}

/** Kept once it is loaded: a tab that closes waits for nothing, not even for what it has. */
let bulk: typeof import('./delete-all.js') | undefined;
const loadBulk = async () => {
  bulk ??= await loadPart(() => import('./delete-all.js'));
  return bulk;
};

/** Deletes plants, and returns why some were not deleted, by their ids. */
async function deletePlants(
  client: Client,
  plants: readonly StoredPlant[],
): Promise<ReadonlyMap<bigint, string>> {
  const [first, ...others] = plants;
  if (first !== undefined && others.length === 0) {
    await unwrap(client.deletePlant({ params: { id: first.id }, fetch: fetchBeyondTab }));
    return new Map();
  }
  const { deleteAll } = bulk ?? (await loadBulk());
  const ids = plants.map(({ id }) => id);
  const { rejections } = await deleteAll(client, ids, { fetch: fetchBeyondTab });
  return new Map(rejections.map(({ id, message }) => [BigInt(id), message]));
}
