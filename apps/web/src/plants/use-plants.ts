import type { StoredPlant } from '@plant-store/contract/operations';
import {
  keepPreviousData,
  type QueryClient,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useMemo } from 'react';
import type { PlantFilter } from '../route.js';
import { usePlantStore } from '../shared/plant-store.js';
import { matches, type PlantPages, toRows, withoutPlants, withPlants } from './plant-pages.js';

/** How many plants a request asks for. */
const pageSize = 1_000;

/** The lists that were loaded, whatever their filter. */
const lists = ['plant-store', 'listPlants'] as const;

/** What is kept stays as it is until something is added, corrected or deleted: to load hundreds of pages again would take long. */
const keepLoaded = { staleTime: Infinity, networkMode: 'always', structuralSharing: false } as const;

/** The plants that match a filter, as far as they are loaded; those of the filter before stay until the first page is there. */
export function usePlants(filter: PlantFilter) {
  const { listPlants } = usePlantStore().operations;
  const query = useInfiniteQuery({
    ...listPlants.infiniteQueryOptions({ query: { limit: pageSize, ...filter } }),
    ...keepLoaded,
    placeholderData: keepPreviousData,
  });
  const { data } = query;
  return { ...query, rows: useMemo(() => toRows(data?.pages ?? []), [data]) };
}

/** One plant, first as a list has it. */
export function usePlant(id: bigint) {
  const { getPlant } = usePlantStore().operations;
  const queryClient = useQueryClient();
  return useQuery({
    ...getPlant.queryOptions({ params: { id } }),
    ...keepLoaded,
    initialData: () => findLoaded(queryClient, id),
  });
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
}

/** Takes a plant out of all lists. */
export function takeOut(queryClient: QueryClient, id: bigint): void {
  takeOutAll(queryClient, new Set([id]));
}

/** Takes plants out of all lists. */
export function takeOutAll(queryClient: QueryClient, ids: ReadonlySet<bigint>): void {
  queryClient.setQueriesData<PlantPages>({ queryKey: lists }, (data) => data && withoutPlants(data, ids));
}

/** Puts a plant into the list that is shown, if it matches its filter; the others load again. */
export function putIn(queryClient: QueryClient, plant: StoredPlant, filter: PlantFilter): void {
  putInAll(queryClient, [plant], filter);
}

/** Puts plants into the list that is shown, in place of what it has of them, as far as they match its filter; the others load again. */
export function putInAll(
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
}

/** Shows a plant that was added in the list, as the service has it. */
export function useShowAdded(filter: PlantFilter): (id: bigint | number) => Promise<void> {
  const { getPlant } = usePlantStore().operations;
  const queryClient = useQueryClient();
  return async (id) => {
    try {
      putIn(queryClient, await queryClient.fetchQuery(getPlant.queryOptions({ params: { id } })), filter);
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
