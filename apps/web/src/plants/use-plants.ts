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

/** The query key of the counts of plants, in total and by tag. */
export const countsKey = [...queryKeys.listTags.queryKey(), 'all'];

/** Delay between a change and the recount of plants, in milliseconds, because more changes may follow. */
const recountMs = 300;
let recounting: number | undefined;

/** Counts the plants again soon. */
export function recount(queryClient: QueryClient): void {
  window.clearTimeout(recounting);
  recounting = window.setTimeout(
    () => void queryClient.invalidateQueries({ queryKey: countsKey }),
    recountMs,
  );
}

/** The longest delay between two attempts to read while the service is unavailable, in milliseconds. */
const maxRetryDelayMs = 5_000;

/**
 * Loaded data stays until something is added, edited or deleted, because reloading hundreds of pages takes long. While the service is
 * unavailable, requests are retried indefinitely.
 */
const keepLoaded = {
  staleTime: Infinity,
  networkMode: 'always',
  structuralSharing: false,
  retry: (_: number, error: unknown) => explain(error, 'read').about === 'later',
  retryDelay: (retry: number) => Math.min(500 * 2 ** retry, maxRetryDelayMs),
} as const;

/** How often a list is reloaded if the page does not receive changes, in milliseconds, and the maximum pages of a list that is reloaded. */
const reload = { everyMs: 60_000, maxPages: 10 };

interface PlantsOptions {
  readonly filter: PlantFilter;
  /** The plants to leave out because they are about to be deleted. */
  readonly leaving: ReadonlySet<bigint>;
  /** Whether the page receives changes as they are made. */
  readonly isFollowing: boolean;
}

/** The loaded plants that match a filter. The plants of the previous filter stay until the first page is loaded. */
export function usePlants({ filter, leaving, isFollowing }: PlantsOptions) {
  const { listPlants } = usePlantStore().operations;
  const canReload = ({ state }: { readonly state: { readonly data?: PlantPages | undefined } }) =>
    !isFollowing && (state.data?.pages.length ?? 0) <= reload.maxPages;
  const query = useInfiniteQuery({
    ...listPlants.infiniteQueryOptions({ query: { limit: pageSize, total: true, ...filter } }),
    ...keepLoaded,
    placeholderData: keepPreviousData,
    staleTime: (loaded) => (canReload(loaded) ? reload.everyMs : Infinity),
    refetchInterval: (reloaded) => canReload(reloaded) && reload.everyMs,
    refetchOnWindowFocus: (reloaded) => canReload(reloaded) && 'always',
  });
  const { data } = query;
  const rows = useMemo(() => {
    const pages = data?.pages ?? [];
    const stays = ({ id }: StoredPlant) => !leaving.has(id);
    return toRows(
      leaving.size === 0 ? pages : pages.map((page) => ({ ...page, plants: page.plants.filter(stays) })),
    );
  }, [data, leaving]);
  const total = useMemo(() => totalOf(data?.pages ?? []), [data]);
  return { ...query, rows, total, failure: useFailure(query) };
}

/** Reads one plant, at first from a loaded list; none without an id. */
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

interface Reading {
  readonly error: unknown;
  readonly failureReason: unknown;
  readonly isFetching: boolean;
}

/** Why a read fails, from its first failed attempt until one succeeds. */
export function useFailure({ error, failureReason, isFetching }: Reading): Failure | undefined {
  const [kept, setKept] = useState<unknown>();
  const now = error ?? (isFetching ? (failureReason ?? kept) : undefined);
  if (now !== kept) setKept(now);
  return useMemo(() => (now == null ? undefined : explain(now, 'read')), [now]);
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

/** Makes lists reload when they are shown, because plants were added. */
export function forgetLists(queryClient: QueryClient): void {
  void queryClient.resetQueries({ queryKey: lists });
  recount(queryClient);
}

/** Reloads the short lists, but keeps their current data until then. This also shows whether the service is available. */
export function checkLists(queryClient: QueryClient): void {
  const isShort = ({ state }: { readonly state: { readonly data?: unknown } }) =>
    ((state.data as PlantPages | undefined)?.pages.length ?? 0) <= reload.maxPages;
  void queryClient.invalidateQueries({ queryKey: lists, predicate: isShort });
}

/** Retries failed reads at once, without waiting for the next scheduled attempt. */
export async function readAgain(queryClient: QueryClient): Promise<void> {
  const failed = queryClient
    .getQueryCache()
    .findAll({ type: 'active' })
    .filter(({ state }) => state.fetchStatus !== 'idle' && state.fetchFailureReason !== null)
    .map((query) => ({ query, meta: query.state.fetchMeta ?? {} }));
  await Promise.all(failed.map(({ query }) => query.cancel({ revert: true })));
  await Promise.all(failed.map(({ query, meta }) => query.fetch(undefined, { meta }).catch(() => undefined)));
}

/** Removes plants from all lists. */
export function takeOut(queryClient: QueryClient, ids: ReadonlySet<bigint>): void {
  queryClient.setQueriesData<PlantPages>({ queryKey: lists }, (data) => data && withoutPlants(data, ids));
  recount(queryClient);
}

/** Adds or updates plants in the shown list, if they match its filter. All other lists reload. */
export function putIn(queryClient: QueryClient, plants: readonly StoredPlant[], filter: PlantFilter): void {
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

/** Shows an added plant in the list, as stored by the service. */
export function useShowAdded(filter: PlantFilter): (id: bigint | number) => Promise<void> {
  const { getPlant } = usePlantStore().operations;
  const queryClient = useQueryClient();
  return async (id) => {
    try {
      const plant = await queryClient.fetchQuery(getPlant.queryOptions({ params: { id } }));
      putIn(queryClient, [plant], filter);
    } catch {
      // For example, the token may not read. The plant is stored nevertheless.
      forgetLists(queryClient);
    }
  };
}

/** The maximum number of plants of a list that are searched for tags, and the longest tag that is suggested. */
const suggested = { plants: 500, length: 60 };

/** The tags of loaded plants, in order. */
export function loadedTags(queryClient: QueryClient): readonly string[] {
  const tags = new Set<string>();
  for (const [, data] of queryClient.getQueriesData<PlantPages>({ queryKey: lists })) {
    const plants = data?.pages.flatMap((page) => page.plants.slice(0, suggested.plants)) ?? [];
    for (const { tag = '' } of plants.slice(0, suggested.plants)) {
      if (tag !== '' && tag.length <= suggested.length) tags.add(tag);
    }
  }
  return [...tags].sort();
}
