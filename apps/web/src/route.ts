import type { PlantQuery } from '@plant-store/contract/operations';
import { useSyncExternalStore } from 'react';
import { toVisible } from './shared/to-visible.js';

/** Which plants are shown, and in which order. */
export interface PlantFilter {
  /** The text to find in names. */
  readonly q?: string | undefined;
  readonly tag?: string | undefined;
  /** Only plants without a value in this field match. */
  readonly without?: PlantQuery['without'];
  readonly order: ListOrder;
}

export type ListOrder = NonNullable<PlantQuery['order']>;

/** The title of each list order. */
export const orderTitles: Readonly<Record<ListOrder, string>> = {
  newest: 'Newest first',
  oldest: 'Oldest first',
  name: 'Name, A to Z',
  '-name': 'Name, Z to A',
  id: 'Smallest ID first',
  '-id': 'Largest ID first',
};

/** The maximum length of a search text or tag in a title, in characters. */
const maxTitleLength = 60;

export const isOrder = (text: string | null): text is ListOrder =>
  text !== null && Object.hasOwn(orderTitles, text);

/** Returns the title of the list that a filter shows. */
export function titleOf({ q, tag, without }: PlantFilter): string {
  const named = q === undefined ? undefined : `“${toVisible(q, maxTitleLength)}”`;
  if (tag === undefined && without === undefined)
    return named === undefined ? 'All plants' : `Plants with ${named}`;
  const tagged = without !== undefined ? 'Untagged' : toVisible(tag ?? '', maxTitleLength) || 'Empty tag';
  return named === undefined ? tagged : `${tagged}: ${named}`;
}

/** The initial view: all plants, newest first. */
export const home: Route = { view: 'plants', filter: { order: 'newest' } };

/**
 * The service's path on the page's origin, with a trailing slash: `/`, or the prefix under which a proxy serves the page. The path of each
 * view begins with this path.
 */
export const basePath = findBasePath(globalThis.location?.pathname ?? '/');

/** Returns the part of a path before the view. */
export function findBasePath(pathname: string): string {
  return pathname.replace(/(?<=\/)(?:add|import|p\/-?\d{1,19})$/, '').replace(/[^/]*$/, '');
}

/** A route of the page: `/`, `/p/<id>`, `/add`, or `/import`, below `basePath`. Filters are in the query. */
export interface Route {
  readonly view: 'plants' | 'add' | 'import';
  /** The ID of the open plant, as decimal text. */
  readonly id?: string | undefined;
  readonly filter: PlantFilter;
}

/** The paths of the views. `apps/api/src/http/routes/built-files.ts` serves the page under the same paths. */
const paths = { plants: '', add: 'add', import: 'import' } as const;

/** Parses the route of an address. An unknown path shows the plants. */
export function parseRoute({ pathname, search }: Pick<URL, 'pathname' | 'search'>, base = basePath): Route {
  const path = pathname.startsWith(base) ? pathname.slice(base.length) : '';
  const parameters = new URLSearchParams(search);
  const sortedBy = parameters.get('order');
  const filter: PlantFilter = {
    q: parameters.get('q') || undefined,
    tag: parameters.get('tag') ?? undefined,
    without: parameters.get('without') === 'tag' ? 'tag' : undefined,
    order: isOrder(sortedBy) ? sortedBy : 'newest',
  };
  const [, id] = /^p\/(-?\d{1,19})$/.exec(path) ?? [];
  if (id !== undefined) return { view: 'plants', id, filter };
  const view = path === paths.add ? 'add' : path === paths.import ? 'import' : 'plants';
  return { view, filter };
}

/** Returns the address of a route, without the origin. */
export function formatRoute(
  { view, id, filter: { q, tag, without, order: sortedBy } }: Route,
  base = basePath,
): string {
  const parameters = new URLSearchParams({
    ...(q !== undefined && q !== '' && { q }),
    ...(tag !== undefined && { tag }),
    ...(without !== undefined && { without }),
    ...(sortedBy !== 'newest' && { order: sortedBy }),
  });
  const query = parameters.size === 0 ? '' : `?${parameters}`;
  return `${base}${id === undefined ? paths[view] : `p/${id}`}${query}`;
}

const changed = new EventTarget();

/** Navigates to a route, with a new history entry, or with `replace` in place of the current one. */
export function navigate(route: Route, { replace = false } = {}): void {
  const { href } = location;
  if (replace) history.replaceState(null, '', formatRoute(route));
  else history.pushState(null, '', formatRoute(route));
  changed.dispatchEvent(new Event(location.href === href ? 'stay' : 'change'));
}

/** Calls a listener when someone navigates to the current route again. Returns a function that removes the listener. */
export function onStay(listener: () => void): () => void {
  changed.addEventListener('stay', listener);
  return () => changed.removeEventListener('stay', listener);
}

let current = { href: '', route: parseRoute({ pathname: '/', search: '' }) };

/** Returns the same object while the address stays the same, as `useSyncExternalStore` requires. */
function readRoute(): Route {
  const { href } = location;
  if (current.href !== href) current = { href, route: parseRoute(location) };
  return current.route;
}

function subscribe(onChange: () => void): () => void {
  window.addEventListener('popstate', onChange);
  changed.addEventListener('change', onChange);
  return () => {
    window.removeEventListener('popstate', onChange);
    changed.removeEventListener('change', onChange);
  };
}

/** Returns the route of the current address. */
export function useRoute(): Route {
  return useSyncExternalStore(subscribe, readRoute);
}
