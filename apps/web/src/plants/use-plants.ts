import { createClient } from '@plant-store/client';
import { createTanstackQueryUtils } from '@plant-store/client/tanstack-query';
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
import { type PlantPages, toRows, withoutPlant, withPlant } from './plant-pages.js';

/** How many plants a request asks for. */
const pageSize = 500;

/** The lists that were loaded, whatever their filter. */
const lists = ['plant-store', 'listPlants'] as const;

/** What is kept stays as it is until something is added or deleted: to load hundreds of pages again would take long. */
const keepLoaded = { staleTime: Infinity, networkMode: 'always', structuralSharing: false } as const;

/** The operations of the service, for TanStack Query. */
function usePlantStore(token: string) {
  return useMemo(() => createTanstackQueryUtils(createClient({ baseUrl: location.origin, token })), [token]);
}

/** The plants that match a filter, as far as they are loaded; those of the filter before stay until the first page is there. */
export function usePlants(token: string, { q, tag, order }: PlantFilter) {
  const { listPlants } = usePlantStore(token);
  const query = useInfiniteQuery({
    ...listPlants.infiniteQueryOptions({ query: { limit: pageSize, q, tag, order } }),
    ...keepLoaded,
    placeholderData: keepPreviousData,
  });
  const { data } = query;
  return { ...query, rows: useMemo(() => toRows(data?.pages ?? []), [data]) };
}

/** One plant, first as a list has it. */
export function usePlant(token: string, id: bigint) {
  const { getPlant } = usePlantStore(token);
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
  queryClient.setQueriesData<PlantPages>({ queryKey: lists }, (data) => data && withoutPlant(data, id));
}

/** Puts a plant back into the list that is shown; the others load again. */
export function putBack(queryClient: QueryClient, plant: StoredPlant, order: PlantFilter['order']): void {
  queryClient.removeQueries({ queryKey: lists, type: 'inactive' });
  queryClient.setQueriesData<PlantPages>(
    { queryKey: lists },
    (data) => data && withPlant(data, plant, order),
  );
}
