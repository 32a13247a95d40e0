// The options of a mutation as each adapter of TanStack Query takes them, and a mutation in the core that they share.
import { createClient, errors, type PlantStoreError } from '@plant-store/client';
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
const { createPlant } = createTanstackQueryUtils(createClient({ baseUrl, token, fetch }));
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

const observer = new MutationObserver(new QueryClient(), createPlant.mutationOptions());
if ((await observer.mutate({ body })).name !== 'Rose') throw new Error('Not stored');
await observer.mutate({ body: { ...body, name: 'Fern' } }).catch(() => undefined);
const { error } = observer.getCurrentResult();
if (!isRejectedError(error, errors.id_taken.error)) throw error ?? new Error('Not rejected');
