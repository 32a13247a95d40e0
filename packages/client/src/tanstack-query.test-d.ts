import type { contract } from '@plant-store/contract';
import { errors } from '@plant-store/contract/errors';
import type { Plant, PlantPage, ReadOperation, StoredPlant } from '@plant-store/contract/operations';
import { MutationObserver, QueryClient, skipToken } from '@tanstack/query-core';
import {
  type InfiniteData,
  infiniteQueryOptions,
  mutationOptions,
  queryOptions,
  useInfiniteQuery,
  useMutation,
  usePrefetchQuery,
  useQueries,
  useQuery,
  useSuspenseInfiniteQuery,
  useSuspenseQueries,
  useSuspenseQuery,
} from '@tanstack/react-query';
import { describe, expectTypeOf, it } from 'vitest';
import type { ErrorOf, OperationName, RequestOf } from './client.js';
import { createClient } from './create-client.js';
import type { NetworkError } from './errors/network-error.js';
import { isPlantStoreError } from './errors/plant-store-error.js';
import type { TimeoutError } from './errors/timeout-error.js';
import type { UnexpectedResponseError } from './errors/unexpected-response-error.js';
import { createTanstackQueryUtils, type KeyOwner } from './tanstack-query.js';
import { isRejectedError, type RejectedError } from './unwrap.js';

const plantStore = createTanstackQueryUtils(createClient({ baseUrl: 'https://example.com', token: 'pst_a' }));
const { createPlant } = plantStore;
type Failure = ErrorOf<'createPlant'>;

describe('the options of a mutation', () => {
  it("are taken by React's useMutation, with the types of data, error and variables", () => {
    const { data, error, variables } = useMutation(createPlant.mutationOptions());
    expectTypeOf(data).toEqualTypeOf<Plant | undefined>();
    expectTypeOf(error).toEqualTypeOf<Failure | null>();
    expectTypeOf(variables).toEqualTypeOf<RequestOf<'createPlant'> | undefined>();
  });

  it("are taken by React's mutationOptions, and by the core that all adapters share", () => {
    const use = () => useMutation(mutationOptions(createPlant.mutationOptions()));
    expectTypeOf(use).returns.toHaveProperty('error').toEqualTypeOf<Failure | null>();
    const observer = new MutationObserver(new QueryClient(), createPlant.mutationOptions());
    expectTypeOf(observer.mutate).returns.resolves.toEqualTypeOf<Plant>();
  });

  it('have the type of what is selected of a successful reply', () => {
    const options = createPlant.mutationOptions({ select: ({ replayed, status }) => ({ replayed, status }) });
    const { data } = useMutation(options);
    expectTypeOf(data).toEqualTypeOf<{ replayed: boolean; status: 200 } | undefined>();
  });

  it('require what the operation requires', () => {
    const { mutate } = useMutation(createPlant.mutationOptions());
    mutate({ body: { id: 1n, name: 'Fern' }, timeoutMs: 1_000 });
    // @ts-expect-error no request
    mutate();
    // @ts-expect-error no name
    mutate({ body: { id: 1n } });
  });
});

describe('the error of a mutation', () => {
  it('narrows by error, and otherwise to an error without a reply', () => {
    const { error } = useMutation(createPlant.mutationOptions());
    if (isRejectedError(error, errors.id_taken.error)) {
      expectTypeOf(error).toEqualTypeOf<RejectedError<40003>>();
    } else if (isRejectedError(error)) {
      expectTypeOf(error.error).exclude<40003>().toEqualTypeOf<typeof error.error>();
      // @ts-expect-error no reply of this operation
      if (error.error === errors.not_found.error) throw error;
    } else if (error) {
      expectTypeOf(error).toEqualTypeOf<NetworkError | TimeoutError | UnexpectedResponseError>();
      expectTypeOf(isPlantStoreError(error)).toEqualTypeOf<boolean>();
    }
  });
});

const { getPlant, listPlants } = plantStore;
const request = { params: { id: 1n } };
type ReadFailure = ErrorOf<'getPlant'>;
type ListFailure = ErrorOf<'listPlants'>;
type Pages = InfiniteData<PlantPage, string | undefined>;
type OperationWithPages =
  | 'listAudit'
  | {
      [Name in OperationName]: (typeof contract)[Name]['metadata'] extends {
        readonly operation: 'list' | 'count' | 'changes' | 'history';
      }
        ? Name
        : never;
    }[OperationName];

describe('an operation', () => {
  it('has queries only if it reads, and queries of pages only if it returns pages', () => {
    type Utils = typeof plantStore;
    type NamesWith<Member extends string> = {
      [Name in OperationName]: Utils[Name] extends { readonly [Each in Member]: unknown } ? Name : never;
    }[OperationName];
    expectTypeOf<NamesWith<'mutationOptions'>>().toEqualTypeOf<OperationName>();
    expectTypeOf<NamesWith<'queryOptions' | 'queryKey'>>().toEqualTypeOf<ReadOperation>();
    type WithPages = NamesWith<'infiniteQueryOptions' | 'infiniteQueryKey'>;
    expectTypeOf<WithPages>().toEqualTypeOf<OperationWithPages>();
    // @ts-expect-error a query would create the plant at each refetch
    createPlant.queryOptions;
    // @ts-expect-error a query would delete the plants at each refetch
    plantStore.deletePlants.queryKey;
    // @ts-expect-error no pages
    getPlant.infiniteQueryOptions;
    // @ts-expect-error no pages
    plantStore.listTokens.infiniteQueryKey;
  });
});

describe('the options of a query', () => {
  const queryClient = new QueryClient();

  it('have the types of data and error in every hook', () => {
    const use = () => useQuery({ ...getPlant.queryOptions(request), staleTime: 1_000 });
    expectTypeOf(use).returns.toHaveProperty('data').toEqualTypeOf<StoredPlant | undefined>();
    expectTypeOf(use).returns.toHaveProperty('error').toEqualTypeOf<ReadFailure | null>();
    const suspend = () => useSuspenseQuery(getPlant.queryOptions(request));
    expectTypeOf(suspend).returns.toHaveProperty('data').toEqualTypeOf<StoredPlant>();
    expectTypeOf(suspend).returns.toHaveProperty('error').toEqualTypeOf<ReadFailure | null>();
    const select = () => useQuery({ ...getPlant.queryOptions(request), select: ({ name }) => name });
    expectTypeOf(select).returns.toHaveProperty('data').toEqualTypeOf<string | undefined>();
    usePrefetchQuery(getPlant.queryOptions(request));
    const tagged = () => useQuery(queryOptions(getPlant.queryOptions(request)));
    expectTypeOf(tagged).returns.toHaveProperty('error').toEqualTypeOf<ReadFailure | null>();
  });

  it('have them in useQueries, as a literal of several operations and as a list', () => {
    const [plant, page] = useQueries({
      queries: [getPlant.queryOptions(request), { ...listPlants.queryOptions(), staleTime: 1_000 }],
    });
    expectTypeOf(plant.data).toEqualTypeOf<StoredPlant | undefined>();
    expectTypeOf(plant.error).toEqualTypeOf<ReadFailure | null>();
    expectTypeOf(page.data).toEqualTypeOf<PlantPage | undefined>();
    expectTypeOf(page.error).toEqualTypeOf<ListFailure | null>();
    const plants = useQueries({
      queries: [1n, 2n].map((id) => getPlant.queryOptions({ params: { id } })),
      combine: (results) => results.map(({ data, error }) => ({ data, error })),
    });
    expectTypeOf(plants).toEqualTypeOf<{ data: StoredPlant | undefined; error: ReadFailure | null }[]>();
    const [suspended] = useSuspenseQueries({ queries: [getPlant.queryOptions(request)] });
    expectTypeOf(suspended.data).toEqualTypeOf<StoredPlant>();
    expectTypeOf(suspended.error).toEqualTypeOf<ReadFailure | null>();
  });

  it('have them for pages', () => {
    /** The adapter does not infer the type of the pages' parameters. */
    type Pages = InfiniteData<PlantPage>;
    const use = () => useInfiniteQuery(listPlants.infiniteQueryOptions());
    expectTypeOf(use).returns.toHaveProperty('data').toEqualTypeOf<Pages | undefined>();
    expectTypeOf(use).returns.toHaveProperty('error').toEqualTypeOf<ListFailure | null>();
    const suspend = () => useSuspenseInfiniteQuery(listPlants.infiniteQueryOptions());
    expectTypeOf(suspend).returns.toHaveProperty('data').toEqualTypeOf<Pages>();
    const tagged = () => useInfiniteQuery(infiniteQueryOptions(listPlants.infiniteQueryOptions()));
    expectTypeOf(tagged).returns.toHaveProperty('error').toEqualTypeOf<ListFailure | null>();
  });

  it('have them in the QueryClient', () => {
    const [one, pages] = [getPlant.queryOptions(request), listPlants.infiniteQueryOptions()];
    expectTypeOf(queryClient.fetchQuery(one)).resolves.toEqualTypeOf<StoredPlant>();
    expectTypeOf(queryClient.ensureQueryData(one)).resolves.toEqualTypeOf<StoredPlant>();
    queryClient.prefetchQuery(one);
    queryClient.prefetchInfiniteQuery(pages);
    expectTypeOf(queryClient.fetchInfiniteQuery(pages)).resolves.toEqualTypeOf<Pages>();
  });

  it('require what the operation requires', () => {
    // @ts-expect-error no request
    getPlant.queryOptions();
    // @ts-expect-error no id
    getPlant.queryOptions({ params: {} });
    // @ts-expect-error no such parameter
    listPlants.queryOptions({ query: { tags: 'x' } });
    // @ts-expect-error no such parameter
    listPlants.infiniteQueryOptions({ query: { tags: 'x' } });
    // @ts-expect-error no id
    getPlant.queryOptions(Math.random() > 0.5 ? skipToken : { params: {} });
    // @ts-expect-error no ids
    plantStore.getPlants.queryOptions({ body: {} });
  });

  it('take the options of a call, except those that select whose data it reads', () => {
    getPlant.queryOptions({ ...request, timeoutMs: 1_000 });
    // @ts-expect-error another user
    getPlant.queryOptions({ ...request, token: 'pst_b' });
    // @ts-expect-error another store
    listPlants.queryOptions({ baseUrl: 'https://south.example' });
    // @ts-expect-error another store
    listPlants.infiniteQueryOptions({ baseUrl: 'https://south.example' });
    // @ts-expect-error the query has its own
    listPlants.queryOptions({ signal: new AbortController().signal });
  });
});

describe('the key of a query', () => {
  const queryClient = new QueryClient();

  it('has the type of the data', () => {
    const { queryKey } = getPlant.queryOptions(request);
    expectTypeOf(queryClient.getQueryData(queryKey)).toEqualTypeOf<StoredPlant | undefined>();
    expectTypeOf(getPlant.queryKey(request)).toEqualTypeOf(queryKey);
    expectTypeOf(queryClient.getQueryState(queryKey)?.data).toEqualTypeOf<StoredPlant | undefined>();
    queryClient.setQueryData(getPlant.queryKey(request), (plant) => {
      expectTypeOf(plant).toEqualTypeOf<StoredPlant | undefined>();
      return plant && { ...plant, name: 'Rose' };
    });
    // @ts-expect-error no name
    queryClient.setQueryData(getPlant.queryKey(request), { id: 1n });
    expectTypeOf(queryClient.getQueryData(listPlants.queryKey())).toEqualTypeOf<PlantPage | undefined>();
    expectTypeOf(queryClient.getQueryData(listPlants.infiniteQueryKey())).toEqualTypeOf<Pages | undefined>();
    const pages = listPlants.infiniteQueryOptions().queryKey;
    expectTypeOf(queryClient.getQueryData(pages)).toEqualTypeOf<Pages | undefined>();
  });

  it('has none for a key prefix', () => {
    expectTypeOf(queryClient.getQueryData(getPlant.queryKey())).toBeUnknown();
    expectTypeOf(getPlant.queryKey()).toEqualTypeOf<readonly ['plant-store', KeyOwner, 'getPlant']>();
  });
});

describe('skipToken', () => {
  const perhaps = Math.random() > 0.5 ? request : skipToken;
  const query = Math.random() > 0.5 ? { query: { tag: 'x' } } : skipToken;

  it('is taken in place of a request', () => {
    const use = () => useQuery(getPlant.queryOptions(perhaps));
    expectTypeOf(use).returns.toHaveProperty('data').toEqualTypeOf<StoredPlant | undefined>();
    expectTypeOf(use).returns.toHaveProperty('error').toEqualTypeOf<ReadFailure | null>();
    const { data } = useInfiniteQuery(listPlants.infiniteQueryOptions(query));
    expectTypeOf(data).toEqualTypeOf<InfiniteData<PlantPage> | undefined>();
    const [plant, page] = useQueries({
      queries: [getPlant.queryOptions(perhaps), listPlants.queryOptions(query)],
    });
    expectTypeOf(plant.data).toEqualTypeOf<StoredPlant | undefined>();
    expectTypeOf(page.error).toEqualTypeOf<ListFailure | null>();
    useQuery(getPlant.queryOptions(skipToken));
  });

  it('is not taken where a query must not wait', () => {
    // @ts-expect-error it would suspend for ever
    useSuspenseQuery(getPlant.queryOptions(perhaps));
    // @ts-expect-error no request
    getPlant.queryKey(skipToken);
  });
});
