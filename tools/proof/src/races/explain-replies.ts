import type { DeleteOutcome, Outcome } from '../load/send-create.js';

/** What has an id. */
export type State = 'nothing' | 'a plant' | 'a deleted plant';

/** An order of requests. */
export interface Order {
  /** What came first. */
  readonly first: 'create' | 'delete';
  /** What has the id afterwards. */
  readonly after: State;
}

const creates = {
  nothing: { reply: 'stored', after: 'a plant' },
  'a plant': { reply: 'replayed', after: 'a plant' },
  'a deleted plant': { reply: 'retired', after: 'a deleted plant' },
} as const;

const deletes = {
  nothing: { reply: 'not found', after: 'nothing' },
  'a plant': { reply: 'deleted', after: 'a deleted plant' },
  'a deleted plant': { reply: 'deleted', after: 'a deleted plant' },
} as const;

/**
 * Finds the order of creates of one plant, which came one after the other, and of a delete, in which each gets the reply that it
 * had; `undefined` if there is none.
 */
export function explainReplies(
  before: State,
  created: readonly Outcome['kind'][],
  deleted: DeleteOutcome['kind'],
): Order | undefined {
  for (let place = 0; place <= created.length; place++) {
    let state = before;
    const step = (steps: typeof creates | typeof deletes, reply: string) => {
      const isExplained = steps[state].reply === reply;
      state = steps[state].after;
      return isExplained;
    };
    const isExplained = [
      ...created.slice(0, place).map((reply) => step(creates, reply)),
      step(deletes, deleted),
      ...created.slice(place).map((reply) => step(creates, reply)),
    ].every(Boolean);
    if (isExplained) return { first: place === 0 ? 'delete' : 'create', after: state };
  }
  return undefined;
}
