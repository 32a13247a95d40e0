import type { StoredPlant } from '@plant-store/contract/operations';
import type { Failure } from '../shared/explain-failure.js';

/** How many actions can be undone. */
export const maxUndos = 5;

/** A change of several plants together: a delete or an edit. */
export interface Change {
  readonly key: number;
  /** The plants as they were before. */
  readonly plants: readonly StoredPlant[];
  /** The edit, unless the plants are deleted. */
  readonly edit?: Edited | undefined;
}

/** The result of an edit of plants. */
export interface Edited {
  /** The tag that they got, `undefined` for none. */
  readonly tag?: string | undefined;
  /** What was done to a plant, such as "Name edited", unless only tags were edited. */
  readonly label?: string;
  /** The plant after the edit, unless only tags were edited. */
  readonly after?: StoredPlant;
  /** The ETag of each plant after the edit, by its ID. */
  readonly etags: ReadonlyMap<bigint, string>;
  /** How many plants the undo skipped, because they were changed after the edit. */
  readonly kept: number;
}

/** A change as the page shows it. Once it is `undone`, its plants are the restored ones. */
export interface Action extends Change {
  /**
   * `waiting`: nothing was sent yet; `sent`: there is no reply yet; `failed`: they are not, or may not be, deleted; `done`: it can be
   * undone; `undoing` and `undone`.
   */
  readonly state: 'waiting' | 'sent' | 'failed' | 'done' | 'undoing' | 'undone';
  /** How many deleted plants came back, while it is `undoing`. */
  readonly count?: number;
  /** Why it failed, or its undo. */
  readonly failure?: Failure | undefined;
}

export interface UndoState {
  /** The actions, latest first. */
  readonly actions: readonly Action[];
  /** The plants whose delete waits or is in flight. No list shows them. */
  readonly leaving: ReadonlySet<bigint>;
}

/** What happens to a change. An action that was dismissed shows again only if it fails. */
export type UndoEvent = Readonly<
  { change: Change } & (
    | { type: 'edit' | 'undo' | 'dismiss' }
    /** A delete waits, so that an undo needs no request. It is canceled, or sent and then confirmed for the plants that it deleted. */
    | { type: 'wait' | 'cancel' | 'send' | 'confirm' }
    /** The plants are not, or may not be, deleted; `failUndo`: they are not restored. */
    | { type: 'fail' | 'failUndo'; failure: Failure }
    | { type: 'count'; count: number }
    /** The undo ended; `back` has the restored plants. */
    | { type: 'restore'; back: readonly StoredPlant[] }
  )
>;

export function reduceUndo({ actions, leaving }: UndoState, event: UndoEvent): UndoState {
  return { actions: reduceActions(actions, event), leaving: reduceLeaving(leaving, event) };
}

function reduceActions(actions: readonly Action[], event: UndoEvent): readonly Action[] {
  const { key, plants, edit } = event.change;
  const before = actions.find((action) => action.key === key);
  const others = actions.filter((action) => action !== before);
  const update = (changes: Partial<Action>) =>
    actions.map((action) => (action === before ? { ...action, ...changes } : action));
  const putFirst = (state: Action['state'], failure?: Failure) => {
    // Notes that plants were restored are no longer needed.
    const shown = others.filter((other) => other.state !== 'undone');
    return [{ key, plants, edit, state, failure }, ...shown].slice(0, maxUndos);
  };
  switch (event.type) {
    case 'wait':
      return putFirst('waiting');
    case 'send':
      return update({ state: 'sent', failure: undefined });
    case 'confirm':
      // An undo may have begun, which waits for the reply.
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
      // The note about an edit names its plant, even if that was not restored.
      return update({ state: 'undone', edit, plants: edit?.label === undefined ? event.back : plants });
    case 'failUndo':
      return putFirst('done', event.failure);
    case 'cancel':
    case 'dismiss':
      return others;
  }
}

function reduceLeaving(leaving: ReadonlySet<bigint>, { type, change }: UndoEvent): ReadonlySet<bigint> {
  const ids = idsOf(change.plants);
  switch (type) {
    case 'wait':
    case 'send':
      return new Set([...leaving, ...ids]);
    case 'confirm':
    case 'fail':
    case 'cancel':
      return new Set([...leaving].filter((id) => !ids.has(id)));
    default:
      return leaving;
  }
}

export const idsOf = (plants: readonly StoredPlant[]): ReadonlySet<bigint> =>
  new Set(plants.map(({ id }) => id));
