import { foldText } from '@plant-store/contract/fold-text';

/**
 * The order of a list: by `id`, by time (`oldest` or `newest` first, then by id), or by the beginning of a text field, which has its name;
 * descending with a `-`. Records without a time are a separate list: `untimed`, descending by id, or `-untimed`, ascending.
 */
export type ListOrder = 'id' | '-id' | 'oldest' | 'newest' | 'untimed' | '-untimed' | (string & {});

/** The parts of an order: the sort key, which is the name of a text field unless it is one of the others. */
export function partsOfOrder(order: ListOrder): { readonly by: string; readonly isDescending: boolean } {
  if (order === 'oldest' || order === 'newest') return { by: 'time', isDescending: order === 'newest' };
  const isMarked = order.startsWith('-');
  const by = isMarked ? order.slice(1) : order;
  return { by, isDescending: isMarked !== (by === 'untimed') };
}

/** How many characters of a text, after `foldText`, determine the order of a list. */
export const sortedCharacters = 64;

/** The sort key of a list by a text field. Records without a text come first. */
export function sortKeyOf(text: string | undefined): string {
  const folded = foldText(text ?? '');
  return folded.length > sortedCharacters ? [...folded].slice(0, sortedCharacters).join('') : folded;
}
