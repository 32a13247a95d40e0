import {
  formatRoute,
  home,
  isOrder,
  type ListOrder,
  navigate,
  type PlantFilter,
  parseRoute,
  type Route,
} from '../route.js';
import { keepPreferences, readPreferences } from './preferences.js';

/** Sorts the list, and remembers the order for this browser. */
export function sortList(filter: PlantFilter, sortedBy: ListOrder): void {
  keepPreferences({ sortedBy });
  navigate({ view: 'plants', filter: { ...filter, order: sortedBy } });
}

/** Returns the route to all plants, in the order that was chosen last. */
export function sortedHome(): Route {
  const { sortedBy = null } = readPreferences();
  return isOrder(sortedBy) ? { ...home, filter: { order: sortedBy } } : home;
}

/** When the page opens without a filter or view, restores the order that was chosen last. */
export function restoreSort(): void {
  const route = parseRoute(location);
  const isList = route.view === 'plants' && route.id === undefined && location.search === '';
  if (isList) history.replaceState(null, '', formatRoute(sortedHome()) + location.hash);
}
