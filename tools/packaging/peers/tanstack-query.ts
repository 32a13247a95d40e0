// The options of queries and of a mutation as each adapter of TanStack Query takes them, and a mutation in the core that they
// share.
import { createClient, errors, type PlantStoreError, type StoredPlant } from '@plant-store/client';
import { createTanstackQueryUtils, isRejectedError } from '@plant-store/client/tanstack-query';
import { createFakePlantStore } from '@plant-store/client/testing';
import type { RejectedError } from '@plant-store/client/unwrap';
import { MutationObserver, QueryClient } from '@tanstack/query-core';
import type * as ReactQuery from '@tanstack/react-query';
import type * as SolidQuery from '@tanstack/solid-query';
import type * as SvelteQuery from '@tanstack/svelte-query';
import type * as VueQuery from '@tanstack/vue-query';

type Failure = RejectedError | PlantStoreError;

const store = createFakePlantStore();
const { baseUrl, token, fetch } = store;
const { createPlant, getPlant, listPlants } = createTanstackQueryUtils(
  createClient({ baseUrl, token, fetch }),
);
const body = { id: 9223372036854775807n, name: 'Rose' };

/** Only compiled: each adapter needs a component of its framework around it. */
export function useMutations(
  react: typeof ReactQuery,
  vue: typeof VueQuery,
  solid: typeof SolidQuery,
  svelte: typeof SvelteQuery,
): (Failure | null)[] {
  const inReact = react.useMutation(createPlant.mutationOptions());
  const inVue = vue.useMutation(createPlant.mutationOptions());
  const inSolid = solid.useMutation(() => createPlant.mutationOptions());
  const inSvelte = svelte.createMutation(() => createPlant.mutationOptions());
  for (const { mutate } of [inReact, inVue, inSolid, inSvelte]) mutate({ body });
  const names: (string | undefined)[] = [inReact.data, inVue.data.value, inSolid.data, inSvelte.data].map(
    (plant) => plant?.name,
  );
  return names.length > 0 ? [inReact.error, inVue.error.value, inSolid.error, inSvelte.error] : [];
}

/** Only compiled. */
export function useQueries(
  react: typeof ReactQuery,
  vue: typeof VueQuery,
  solid: typeof SolidQuery,
  svelte: typeof SvelteQuery,
): (StoredPlant | undefined)[] {
  const options = () => getPlant.queryOptions({ params: { id: 1n } });
  const pages = () => listPlants.infiniteQueryOptions({ query: { tag: 'x' } });
  const vueQueries = vue.useQueries({ queries: [options(), options()] }).value;
  const solidQueries = solid.useQueries(() => ({ queries: [options(), options()] }));
  const svelteQueries = svelte.createQueries(() => ({ queries: [options(), options()] }));
  for (const plant of [vueQueries[0].data, solidQueries[0].data, svelteQueries[0].data]) plant?.name.trim();
  const listed = [
    react.useInfiniteQuery(pages()).data,
    vue.useInfiniteQuery(pages()).data.value,
    solid.useInfiniteQuery(pages).data,
    svelte.createInfiniteQuery(pages).data,
  ];
  const { queryKey } = options();
  return [
    react.useQuery(options()).data,
    vue.useQuery(options()).data.value,
    solid.useQuery(options).data,
    svelte.createQuery(options).data,
    new QueryClient().getQueryData(queryKey),
    react.useQueryClient().getQueryData(queryKey),
    vue.useQueryClient().getQueryData(queryKey),
    solid.useQueryClient().getQueryData(queryKey),
    svelte.useQueryClient().getQueryData(queryKey),
    ...listed.flatMap((data) => data?.pages.flatMap(({ plants }) => plants)),
  ];
}

/** Only compiled: with `skipToken` of each copy. */
export function useSkipped(
  react: typeof ReactQuery,
  vue: typeof VueQuery,
  solid: typeof SolidQuery,
): unknown[] {
  const given = Math.random() > 0.5 && { params: { id: 1n } };
  return [
    react.useQuery(getPlant.queryOptions(given || react.skipToken)).data?.name,
    vue.useQuery(getPlant.queryOptions(given || vue.skipToken)).data.value?.name,
    solid.useQuery(() => getPlant.queryOptions(given || solid.skipToken)).data?.name,
  ];
}

const observer = new MutationObserver(new QueryClient(), createPlant.mutationOptions());
if ((await observer.mutate({ body })).name !== 'Rose') throw new Error('Not stored');
await observer.mutate({ body: { ...body, name: 'Fern' } }).catch(() => undefined);
const { error } = observer.getCurrentResult();
if (!isRejectedError(error, errors.id_taken.error)) throw error ?? new Error('Not rejected');
