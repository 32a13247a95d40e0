import type { StoredPlant } from '@plant-store/contract/operations';
import type { Failure } from '../shared/explain-failure.js';

/** The maximum number of actions that can be undone. */
export const maxUndos = 5;

/** A change of one or more plants: a delete or an edit. */
export interface Change {
  readonly key: number;
  /** The plants as they were before. */
  readonly plants: readonly StoredPlant[];
  /** The edit, unless the plants are deleted. */
  readonly edit?: Edited | undefined;
}

/** The result of an edit of plants. */
export interface Edited {
  /** The new tag; `undefined` for none. */
  readonly tag?: string | undefined;
  /** What was done to a plant, such as "Name edited", unless only tags were edited. */
  readonly label?: string;
  /** The plant after the edit, unless only tags were edited. */
  readonly after?: StoredPlant;
  /** The ETag of each plant after the edit, by its ID. */
  readonly etags: ReadonlyMap<bigint, string>;
  /** The number of plants that the undo skipped, because they were changed after the edit. */
  readonly skippedCount: number;
}

/** A change as the page shows it. Once a delete or a change of tags is `undone`, `plants` are the restored ones. */
export interface Action extends Change {
  /**
   * - `waiting`: a delete was not sent yet.
   * - `sent`: a delete has no reply yet.
   * - `failed`: the plants are not deleted, or might not be.
   * - `done`: the action can be undone.
   */
  readonly state: 'waiting' | 'sent' | 'failed' | 'done' | 'undoing' | 'undone';
  /** The number of plants restored so far, while it is `undoing`. */
  readonly count?: number;
  /** Why the action or its undo failed. */
  readonly failure?: Failure | undefined;
}

export interface UndoState {
  /** The actions, latest first. */
  readonly actions: readonly Action[];
  /** The IDs of plants whose delete waits or is in flight. Lists hide them. */
  readonly pendingDeletes: ReadonlySet<bigint>;
}

/** What happens to a change. A dismissed action appears again only if it fails. */
export type UndoEvent = Readonly<
  { change: Change } & (
    | { type: 'edit' | 'undo' | 'dismiss' }
    /** A delete waits at first. Then it is canceled, or it is sent and confirmed for the plants that it deleted. */
    | { type: 'wait' | 'cancel' | 'send' | 'confirm' }
    /** The plants are not deleted or restored, or might not be. */
    | { type: 'fail' | 'failUndo'; failure: Failure }
    | { type: 'count'; count: number }
    /** The undo restored these plants. */
    | { type: 'restore'; restored: readonly StoredPlant[] }
  )
>;

export function reduceUndo({ actions, pendingDeletes }: UndoState, event: UndoEvent): UndoState {
  return {
    actions: reduceActions(actions, event),
    pendingDeletes: reducePendingDeletes(pendingDeletes, event),
  };
}

function reduceActions(actions: readonly Action[], event: UndoEvent): readonly Action[] {
  const { key, plants, edit } = event.change;
  const before = actions.find((action) => action.key === key);
  const others = actions.filter((action) => action !== before);
  const update = (changes: Partial<Action>) =>
    actions.map((action) => (action === before ? { ...action, ...changes } : action));
  const putFirst = (state: Action['state'], failure?: Failure) => {
    // Removes notes about earlier undos.
    const shown = others.filter((other) => other.state !== 'undone');
    return [{ key, plants, edit, state, failure }, ...shown].slice(0, maxUndos);
  };
  switch (event.type) {
    case 'wait':
      return putFirst('waiting');
    case 'send':
      return update({ state: 'sent', failure: undefined });
    case 'confirm':
      // An undo can already be waiting for this reply.
      return plants.length === 0
        ? others
        : update({ plants, state: before?.state === 'undoing' ? 'undoing' : 'done' });
    case 'fail':
      return putFirst('failed', event.failure);
    case 'edit':
      return putFirst('done');
    case 'undo':
      return putFirst('undoing');
    case 'count':
      return update({ count: event.count });
    case 'restore':
      // The note about an edit names its plant, even if it was not restored.
      return update({ state: 'undone', edit, plants: edit?.label === undefined ? event.restored : plants });
    case 'failUndo':
      return putFirst('done', event.failure);
    case 'cancel':
    case 'dismiss':
      return others;
  }
}

function reducePendingDeletes(
  pendingDeletes: ReadonlySet<bigint>,
  { type, change }: UndoEvent,
): ReadonlySet<bigint> {
  const ids = idsOf(change.plants);
  switch (type) {
    case 'wait':
    case 'send':
      return new Set([...pendingDeletes, ...ids]);
    case 'confirm':
    case 'fail':
    case 'cancel':
      return new Set([...pendingDeletes].filter((id) => !ids.has(id)));
    default:
      return pendingDeletes;
  }
}

export const idsOf = (plants: readonly StoredPlant[]): ReadonlySet<bigint> =>
  new Set(plants.map(({ id }) => id));
