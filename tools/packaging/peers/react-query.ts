// The options of queries and of a mutation as components take them, compiled with each TypeScript.
import {
  createClient,
  type ErrorNumber,
  errors,
  type PlantPage,
  type StoredPlant,
} from '@plant-store/client';
import { createTanstackQueryUtils, isRejectedError } from '@plant-store/client/tanstack-query';
import {
  type QueryClient,
  skipToken,
  useInfiniteQuery,
  useMutation,
  useQueries,
  useQuery,
  useSuspenseQuery,
} from '@tanstack/react-query';

const plantStore = createTanstackQueryUtils(
  createClient({ baseUrl: 'https://plants.example.com', token: 'pst_example' }),
);

export function useCreatePlant(): string | undefined {
  const { mutate, data, error } = useMutation({
    ...plantStore.createPlant.mutationOptions(),
    onSuccess: ({ name }: { readonly name: string }) => name,
  });
  mutate({ body: { id: 9223372036854775807n, name: 'Rose' } });
  if (isRejectedError(error, errors.id_taken.error)) {
    const taken: ErrorNumber<400> = error.number;
    return `${taken} ${error.message}`;
  }
  return data?.name;
}

const { getPlant, listPlants } = plantStore;

export function usePlants(id: bigint | undefined): readonly (string | undefined)[] {
  const plant: StoredPlant = useSuspenseQuery(getPlant.queryOptions({ params: { id: 1n } })).data;
  const skippable = useQuery(getPlant.queryOptions(id === undefined ? skipToken : { params: { id } }));
  const [first, page] = useQueries({
    queries: [
      getPlant.queryOptions({ params: { id: 2n } }),
      listPlants.queryOptions({ query: { tag: 'x' } }),
    ],
  });
  const pages: readonly PlantPage[] | undefined = useInfiniteQuery(listPlants.infiniteQueryOptions()).data
    ?.pages;
  const status: number | undefined = isRejectedError(first.error) ? first.error.status : undefined;
  return [plant.name, skippable.data?.name, first.data?.name, page.data?.next, pages?.[0]?.next, `${status}`];
}

export function readCache(queryClient: QueryClient): string | undefined {
  const { queryKey } = getPlant.queryOptions({ params: { id: 1n } });
  queryClient.setQueryData(
    getPlant.queryKey({ params: { id: 1n } }),
    (plant) => plant && { ...plant, name: 'Fern' },
  );
  // @ts-expect-error no name: were the type of the key `any` or unknown, this would compile
  queryClient.setQueryData(queryKey, { id: 1n });
  const plant: StoredPlant | undefined = queryClient.getQueryData(queryKey);
  const isAny: 0 extends 1 & typeof queryKey ? true : false = false;
  return isAny ? undefined : plant?.name;
}

/** Their declarations can be written, as those of libraries are. */
export const rose = () => getPlant.queryOptions({ params: { id: 1n } });
export const roseKey = () => getPlant.queryKey({ params: { id: 1n } });
