import type { CreateOutcome, DeleteOutcome } from '../load/ledger.js';

/** What has an id. */
export type State = 'nothing' | 'a plant' | 'a deleted plant';

/** What a create and a delete lead to: the reply, and what has the id afterwards. */
const steps = {
  create: {
    nothing: ['stored', 'a plant'],
    'a plant': ['replayed', 'a plant'],
    'a deleted plant': ['retired', 'a deleted plant'],
  },
  delete: {
    nothing: ['not found', 'nothing'],
    'a plant': ['deleted', 'a deleted plant'],
    'a deleted plant': ['deleted', 'a deleted plant'],
  },
} as const;

/**
 * Finds the order of creates of one plant, which came one after the other, and of a delete, in which each gets the reply that it
 * had: what came first, and what has the id afterwards. Returns `undefined` if there is none.
 */
export function explainReplies(
  before: State,
  created: readonly CreateOutcome['kind'][],
  deleted: DeleteOutcome['kind'],
): { readonly first: 'create' | 'delete'; readonly after: State } | undefined {
  for (let place = 0; place <= created.length; place++) {
    let after = before;
    const replies: readonly string[] = [...created.slice(0, place), deleted, ...created.slice(place)];
    const isExplained = replies.every((reply, index) => {
      const [expected, next] = steps[index === place ? 'delete' : 'create'][after];
      after = next;
      return reply === expected;
    });
    if (isExplained) return { first: place === 0 ? 'delete' : 'create', after };
  }
  return undefined;
}
