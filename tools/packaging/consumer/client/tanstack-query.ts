// Without TanStack Query, which the entry does not need.
import { createClient, errors, isRejectedError } from '@plant-store/client';
import { createTanstackQueryUtils, deserialize, serialize } from '@plant-store/client/tanstack-query';
import { createFakePlantStore } from '@plant-store/client/testing';

const { baseUrl, token, fetch } = createFakePlantStore();
const { createPlant, getPlant } = createTanstackQueryUtils(createClient({ baseUrl, token, fetch }));
const { mutationKey, mutationFn, retry } = createPlant.mutationOptions();
const operation: 'createPlant' = mutationKey[2];
const plant: { readonly name: string } = await mutationFn({ body: { id: 1n, name: 'Rose' } });
const taken: unknown = await mutationFn({ body: { id: 1n, name: 'Fern' } }).catch((error: unknown) => error);
if (!isRejectedError(taken, errors.id_taken.error) || retry(1, taken)) throw taken;

const stored = await getPlant.queryOptions({ params: { id: 1n } }).queryFn(new AbortController());
// @ts-expect-error without TanStack Query the key has no data, and is not any
const key: string = getPlant.queryKey({ params: { id: 1 } });
const id: bigint = deserialize<typeof stored>(serialize(stored)).id;
if (id !== 1n || !key.includes('getPlant')) throw new Error(`${operation}, ${plant.name}, ${id}: ${key}`);
