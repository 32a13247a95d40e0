// The options of queries and of a mutation as each adapter of TanStack Query takes them, where each package can import only its own
// dependencies. `useAll` is only compiled: each adapter needs a component of its framework around it.
import {
  createClient,
  type PlantStoreError,
  type RejectedError,
  type StoredPlant,
  startEdit,
} from '@plant-store/client';
import { createTanstackQueryUtils } from '@plant-store/client/tanstack-query';
import type * as React from '@tanstack/react-query';
import type * as Solid from '@tanstack/solid-query';
import type * as Svelte from '@tanstack/svelte-query';
import type * as Vue from '@tanstack/vue-query';

/** The declarations of all that is exported can be written, as those of libraries are. */
export const plantStore = createTanstackQueryUtils(
  createClient({ baseUrl: 'https://plants.example.com', token: 'pst_example' }),
  { user: 'alice' },
);
export const { updatePlant, createPlant, getPlant, getPlants, listPlants } = plantStore;
export const create = () => createPlant.mutationOptions();
export const update = () => updatePlant.mutationOptions();
export const open = () => getPlant.mutationOptions({ select: startEdit });
const edit = startEdit({ plant: { id: 1n, name: 'Rose' }, etag: '"a"' });
const given = Math.random() > 0.5 && { params: { id: 1n } };

export const one = () => getPlant.queryOptions({ params: { id: 1n } });
export const pages = () => listPlants.infiniteQueryOptions({ query: { tag: 'x' } });
export const some = () => getPlants.queryOptions({ body: { ids: ['1'] } });
export const key = () => getPlant.queryKey({ params: { id: 1n } });
export const listKey = () => listPlants.queryKey();
export const pagesKey = () => listPlants.infiniteQueryKey();
export const prefix = () => getPlant.queryKey();

/** Each adapter names the types of the options in its own. */
export const optionsOf = (react: typeof React, vue: typeof Vue, solid: typeof Solid) => [
  [react.queryOptions(one()), react.infiniteQueryOptions(pages()), react.mutationOptions(create())],
  [vue.queryOptions(one()), vue.infiniteQueryOptions(pages())],
  [solid.queryOptions(one()), solid.infiniteQueryOptions(pages())],
];
export const useTags = (react: typeof React) => react.useQuery(plantStore.listTags.queryOptions());

export function useAll(
  react: typeof React,
  vue: typeof Vue,
  solid: typeof Solid,
  svelte: typeof Svelte,
): void {
  const inReact = react.useMutation(create());
  const inVue = vue.useMutation(create());
  const inSolid = solid.useMutation(create);
  const inSvelte = svelte.createMutation(create);
  for (const { mutate } of [inReact, inVue, inSolid, inSvelte]) mutate({ body: { id: 1n, name: 'Rose' } });
  const updates = [
    react.useMutation(update()),
    vue.useMutation(update()),
    solid.useMutation(update),
    svelte.createMutation(update),
  ];
  for (const { mutate } of updates) mutate({ edit, changes: { name: 'Fern' } });
  const withTag = { params: { id: 1n }, headers: { 'if-match': edit.etag }, body: edit.plant };
  // @ts-expect-error a query may have refetched the ETag
  react.useMutation(update()).mutate(withTag);
  const created = [inReact.data, inVue.data.value, inSolid.data, inSvelte.data];
  created.map((plant) => plant?.name) satisfies (string | undefined)[];
  const failures = [inReact.error, inVue.error.value, inSolid.error, inSvelte.error];
  failures satisfies (RejectedError | PlantStoreError | null)[];

  const lists = [
    react.useInfiniteQuery(pages()).data,
    vue.useInfiniteQuery(pages()).data.value,
    solid.useInfiniteQuery(pages).data,
    svelte.createInfiniteQuery(pages).data,
  ];
  [
    react.useQuery(one()).data,
    vue.useQuery(one()).data.value,
    solid.useQuery(one).data,
    svelte.createQuery(one).data,
    react.useQuery(getPlant.queryOptions(given || react.skipToken)).data,
    vue.useQuery(getPlant.queryOptions(given || vue.skipToken)).data.value,
    solid.useQuery(() => getPlant.queryOptions(given || solid.skipToken)).data,
    react.useQueries({ queries: [one(), one()] })[0].data,
    vue.useQueries({ queries: [one(), one()] }).value[0].data,
    solid.useQueries(() => ({ queries: [one(), one()] }))[0].data,
    svelte.createQueries(() => ({ queries: [one(), one()] }))[0].data,
    react.useQueryClient().getQueryData(key()),
    vue.useQueryClient().getQueryData(key()),
    solid.useQueryClient().getQueryData(key()),
    svelte.useQueryClient().getQueryData(key()),
    ...lists.flatMap((data) => data?.pages.flatMap(({ plants }) => plants)),
  ] satisfies (StoredPlant | undefined)[];

  const opened = [
    react.useMutation(open()).data,
    vue.useMutation(open()).data.value,
    solid.useMutation(open).data,
    svelte.createMutation(open).data,
  ];
  opened.map((each) => each?.plant.name) satisfies (string | undefined)[];
  const found = [
    react.useQuery(some()).data,
    vue.useQuery(some()).data.value,
    solid.useQuery(some).data,
    svelte.createQuery(some).data,
  ];
  found.flatMap((data) => data?.results.map(({ status }) => status)) satisfies (number | undefined)[];
  // @ts-expect-error a query would create the plant at each refetch
  createPlant.queryOptions;

  const { queryKey } = one();
  // @ts-expect-error no name: were the type of the key `any` or unknown, this would compile
  react.useQueryClient().setQueryData(queryKey, { id: 1n });
}
