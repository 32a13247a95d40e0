import type { StoredPlant } from '@plant-store/contract/operations';
import {
  keepPreviousData,
  type QueryClient,
  skipToken,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { PlantFilter } from '../route.js';
import { explain } from '../shared/explain.js';
import type { Failure } from '../shared/explain-failure.js';
import { queryKeys, usePlantStore } from '../shared/plant-store.js';
import { matches, type PlantPages, toRows, totalOf, withoutPlants, withPlants } from './plant-pages.js';

/** The number of plants per request. */
const pageSize = 1_000;

/** The query key prefix of all lists, with any filter. */
const lists = queryKeys.listPlants.queryKey();

/** The query key of the plant counts, in total and by tag. */
export const countsKey = [...queryKeys.listTags.queryKey(), 'all'];

/** How long to wait for more changes before counting again. */
const recountMs = 300;
let recountTimer: number | undefined;

/** Counts the plants again, after a short delay. */
export function recount(queryClient: QueryClient): void {
  window.clearTimeout(recountTimer);
  recountTimer = window.setTimeout(
    () => void queryClient.invalidateQueries({ queryKey: countsKey }),
    recountMs,
  );
}

/** The first and the longest delay between attempts to read while the service is unavailable. */
const firstRetryDelayMs = 500;
const maxRetryDelayMs = 5_000;

/**
 * Keeps loaded data until something is added, edited, or deleted, because reloading hundreds of pages takes long. While the service is
 * unavailable, requests are retried indefinitely.
 */
const keepLoaded = {
  staleTime: Infinity,
  networkMode: 'always',
  structuralSharing: false,
  retry: (_: number, error: unknown) => explain(error, 'read').about === 'later',
  retryDelay: (retry: number) => Math.min(firstRetryDelayMs * 2 ** retry, maxRetryDelayMs),
} as const;

/** How often a list is reloaded if the page does not receive changes. */
const reloadIntervalMs = 60_000;
/** Lists with more loaded pages are not reloaded. */
const maxReloadPages = 10;

const isShort = ({ state: { data } }: { readonly state: { readonly data?: unknown } }) =>
  ((data as PlantPages | undefined)?.pages.length ?? 0) <= maxReloadPages;

interface PlantsOptions {
  readonly filter: PlantFilter;
  /** The IDs of plants that are being deleted. The list hides them. */
  readonly pendingDeletes: ReadonlySet<bigint>;
  /** Whether the page receives changes as they are made. */
  readonly isFollowing: boolean;
}

/** Returns the loaded plants that match a filter, or until the first page is loaded, the plants of the previous filter. */
export function usePlants({ filter, pendingDeletes, isFollowing }: PlantsOptions) {
  const { listPlants } = usePlantStore().operations;
  const canReload = (list: Parameters<typeof isShort>[0]) => !isFollowing && isShort(list);
  const query = useInfiniteQuery({
    ...listPlants.infiniteQueryOptions({ query: { limit: pageSize, total: true, ...filter } }),
    ...keepLoaded,
    placeholderData: keepPreviousData,
    staleTime: (list) => (canReload(list) ? reloadIntervalMs : Infinity),
    refetchInterval: (list) => canReload(list) && reloadIntervalMs,
    refetchOnWindowFocus: (list) => canReload(list) && 'always',
  });
  const { data } = query;
  const rows = useMemo(() => {
    const pages = data?.pages ?? [];
    const isShown = ({ id }: StoredPlant) => !pendingDeletes.has(id);
    return toRows(
      pendingDeletes.size === 0
        ? pages
        : pages.map((page) => ({ ...page, plants: page.plants.filter(isShown) })),
    );
  }, [data, pendingDeletes]);
  const total = useMemo(() => totalOf(data?.pages ?? []), [data]);
  return { ...query, rows, total, failure: useFailure(query) };
}

/** Returns one plant, at first from a loaded list. Reads nothing without an ID. */
export function usePlant(id: bigint | undefined) {
  const { getPlant } = usePlantStore().operations;
  const queryClient = useQueryClient();
  const query = useQuery({
    ...getPlant.queryOptions(id === undefined ? skipToken : { params: { id } }),
    ...keepLoaded,
    initialData: () => (id === undefined ? undefined : findLoaded(queryClient, id)),
  });
  return { ...query, failure: useFailure(query) };
}

interface QueryState {
  readonly error: unknown;
  readonly failureReason: unknown;
  readonly isFetching: boolean;
}

/** Returns why a read fails, from the first failed attempt until an attempt succeeds. */
export function useFailure({ error, failureReason, isFetching }: QueryState): Failure | undefined {
  const [lastError, setLastError] = useState<unknown>();
  const current = error ?? (isFetching ? (failureReason ?? lastError) : undefined);
  if (current !== lastError) setLastError(current);
  return useMemo(() => (current == null ? undefined : explain(current, 'read')), [current]);
}

function findLoaded(queryClient: QueryClient, id: bigint): StoredPlant | undefined {
  for (const [, data] of queryClient.getQueriesData<PlantPages>({ queryKey: lists })) {
    for (const { plants } of data?.pages ?? []) {
      const found = plants.find((plant) => plant.id === id);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** Discards all lists, for example after an import. The shown list is loaded again. */
export function resetLists(queryClient: QueryClient): void {
  void queryClient.resetQueries({ queryKey: lists });
  recount(queryClient);
}

/** Reloads short lists, and shows their current data until then. The reload also shows whether the service is available. */
export function refreshLists(queryClient: QueryClient): void {
  void queryClient.invalidateQueries({ queryKey: lists, predicate: isShort });
}

/** Retries failed reads immediately, without waiting for the next scheduled attempt. */
export async function retryFailedReads(queryClient: QueryClient): Promise<void> {
  const failed = queryClient
    .getQueryCache()
    .findAll({ type: 'active' })
    .filter(({ state }) => state.fetchStatus !== 'idle' && state.fetchFailureReason !== null)
    .map((query) => ({ query, meta: query.state.fetchMeta ?? {} }));
  await Promise.all(failed.map(({ query }) => query.cancel({ revert: true })));
  await Promise.all(failed.map(({ query, meta }) => query.fetch(undefined, { meta }).catch(() => undefined)));
}

/** Removes plants from all lists. */
export function removeFromLists(queryClient: QueryClient, ids: ReadonlySet<bigint>): void {
  queryClient.setQueriesData<PlantPages>({ queryKey: lists }, (data) => data && withoutPlants(data, ids));
  recount(queryClient);
}

/** Adds or updates plants in the shown list if they match its filter. Other lists are loaded again when they are shown. */
export function addToLists(
  queryClient: QueryClient,
  plants: readonly StoredPlant[],
  filter: PlantFilter,
): void {
  if (plants.length === 0) return;
  queryClient.removeQueries({ queryKey: lists, type: 'inactive' });
  const ids = new Set(plants.map(({ id }) => id));
  const matching = plants.filter((plant) => matches(plant, filter));
  queryClient.setQueriesData<PlantPages>(
    { queryKey: lists },
    (data) => data && withPlants(withoutPlants(data, ids), matching, filter.order),
  );
  recount(queryClient);
}

/** Returns a function that reads an added plant and shows it in the list. */
export function useShowAdded(filter: PlantFilter): (id: bigint | number) => Promise<void> {
  const { getPlant } = usePlantStore().operations;
  const queryClient = useQueryClient();
  return async (id) => {
    try {
      const plant = await queryClient.fetchQuery(getPlant.queryOptions({ params: { id } }));
      addToLists(queryClient, [plant], filter);
    } catch {
      // For example, the token does not permit reading. The plant is stored anyway.
      resetLists(queryClient);
    }
  };
}

/** The maximum number of plants per list that are searched for tags. */
const maxSearchedPlants = 500;
/** The maximum length of a suggested tag, in characters. */
const maxSuggestedLength = 60;

/** Returns the tags of loaded plants, sorted. */
export function loadedTags(queryClient: QueryClient): readonly string[] {
  const tags = new Set<string>();
  for (const [, data] of queryClient.getQueriesData<PlantPages>({ queryKey: lists })) {
    const plants = data?.pages.flatMap((page) => page.plants.slice(0, maxSearchedPlants)) ?? [];
    for (const { tag = '' } of plants.slice(0, maxSearchedPlants)) {
      if (tag !== '' && tag.length <= maxSuggestedLength) tags.add(tag);
    }
  }
  return [...tags].sort();
}
