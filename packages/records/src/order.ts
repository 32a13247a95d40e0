import { foldText } from '@plant-store/contract/fold-text';

/**
 * The order of a list: by `id`, by time (`oldest` or `newest` first, then by ID), or by the beginning of a text field, given by its name. A
 * leading `-` makes it descending. Records without a time are a separate list: `untimed` in descending order of their IDs, or `-untimed` in
 * ascending order.
 */
export type ListOrder = 'id' | '-id' | 'oldest' | 'newest' | 'untimed' | '-untimed' | (string & {});

/** Splits an order into its sort key (`id`, `time`, `untimed`, or the name of a text field) and its direction. */
export function partsOfOrder(order: ListOrder): { readonly by: string; readonly isDescending: boolean } {
  if (order === 'oldest' || order === 'newest') return { by: 'time', isDescending: order === 'newest' };
  const hasMinus = order.startsWith('-');
  const by = hasMinus ? order.slice(1) : order;
  return { by, isDescending: hasMinus !== (by === 'untimed') };
}

/** How many characters of a folded text determine its position in a list; see `foldText`. */
export const sortedCharacters = 64;

/** Returns the sort key of a value in a list by a text field. Records without a value come first. */
export function sortKeyOf(text: string | undefined): string {
  const folded = foldText(text ?? '');
  return folded.length > sortedCharacters ? [...folded].slice(0, sortedCharacters).join('') : folded;
}
