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

/** How many plants a request asks for. */
const pageSize = 1_000;

/** The lists that were loaded, whatever their filter. */
const lists = queryKeys.listPlants.queryKey();

/** The key of the numbers of plants, in all and by tag. */
export const countsKey = [...queryKeys.listTags.queryKey(), 'all'];

/** How long after a change the plants are counted again, in milliseconds: more changes may follow. */
const recountMs = 300;
let recounting: number | undefined;

/** Counts the plants again, soon. */
export function recount(queryClient: QueryClient): void {
  window.clearTimeout(recounting);
  recounting = window.setTimeout(
    () => void queryClient.invalidateQueries({ queryKey: countsKey }),
    recountMs,
  );
}

/** The longest time between two attempts to read while the service is away, in milliseconds. */
const maxRetryDelayMs = 5_000;

/**
 * What is kept stays as it is until something is added, edited or deleted: to load hundreds of pages again would take long.
 * While the service is away it is asked again and again.
 */
const keepLoaded = {
  staleTime: Infinity,
  networkMode: 'always',
  structuralSharing: false,
  retry: (_: number, error: unknown) => explain(error, 'read').about === 'later',
  retryDelay: (retry: number) => Math.min(500 * 2 ** retry, maxRetryDelayMs),
} as const;

/** How often a list is loaded again of whose changes the page does not hear, in milliseconds, and up to how many pages of it. */
const reload = { everyMs: 60_000, maxPages: 10 };

interface PlantsOptions {
  readonly filter: PlantFilter;
  /** The plants to leave out, since their delete waits. */
  readonly leaving: ReadonlySet<bigint>;
  /** Whether the page hears of changes as they are made. */
  readonly isFollowing: boolean;
}

/** The plants that match a filter, as far as they are loaded; those of the filter before stay until the first page is there. */
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

/** One plant, first as a list has it; none without an id. */
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

/** Why something is not read, from its first attempt that failed until one succeeds, whatever is read meanwhile. */
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

/** Makes lists load again when they are shown, since plants were added. */
export function forgetLists(queryClient: QueryClient): void {
  void queryClient.resetQueries({ queryKey: lists });
  recount(queryClient);
}

/** Reads the lists again that are not long, and keeps them meanwhile: so it shows whether the service is away. */
export function checkLists(queryClient: QueryClient): void {
  const isShort = ({ state }: { readonly state: { readonly data?: unknown } }) =>
    ((state.data as PlantPages | undefined)?.pages.length ?? 0) <= reload.maxPages;
  void queryClient.invalidateQueries({ queryKey: lists, predicate: isShort });
}

/** Asks again at once what could not be read, in place of an attempt that waits. */
export async function readAgain(queryClient: QueryClient): Promise<void> {
  const failed = queryClient
    .getQueryCache()
    .findAll({ type: 'active' })
    .filter(({ state }) => state.fetchStatus !== 'idle' && state.fetchFailureReason !== null)
    .map((query) => ({ query, meta: query.state.fetchMeta ?? {} }));
  await Promise.all(failed.map(({ query }) => query.cancel({ revert: true })));
  await Promise.all(failed.map(({ query, meta }) => query.fetch(undefined, { meta }).catch(() => undefined)));
}

/** Takes plants out of all lists. */
export function takeOut(queryClient: QueryClient, ids: ReadonlySet<bigint>): void {
  queryClient.setQueriesData<PlantPages>({ queryKey: lists }, (data) => data && withoutPlants(data, ids));
  recount(queryClient);
}

/** Puts plants into the list that is shown, in place of what it has of them, as far as they match its filter; the others load again. */
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

/** Shows a plant that was added in the list, as the service has it. */
export function useShowAdded(filter: PlantFilter): (id: bigint | number) => Promise<void> {
  const { getPlant } = usePlantStore().operations;
  const queryClient = useQueryClient();
  return async (id) => {
    try {
      const plant = await queryClient.fetchQuery(getPlant.queryOptions({ params: { id } }));
      putIn(queryClient, [plant], filter);
    } catch {
      // Such as with a token that does not permit to read: it is stored all the same.
      forgetLists(queryClient);
    }
  };
}

/** The most plants of a list that are looked at for tags, and the longest tag that is suggested. */
const suggested = { plants: 500, length: 60 };

/** The tags of plants that were loaded, in order. */
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
