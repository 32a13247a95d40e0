import { createClient, errors } from '@plant-store/client';
import {
  createTanstackQueryUtils,
  deserialize,
  isRejectedError,
  serialize,
} from '@plant-store/client/tanstack-query';
import { createFakePlantStore } from '@plant-store/client/testing';
import { RejectedError } from '@plant-store/client/unwrap';

const { baseUrl, token, fetch } = createFakePlantStore();
const plantStore = createTanstackQueryUtils(createClient({ baseUrl, token, fetch }));

const { mutationKey, mutationFn, retry } = plantStore.createPlant.mutationOptions();
const operation: 'createPlant' = mutationKey[1];
const plant: { readonly name: string } = await mutationFn({ body: { id: 1n, name: 'Rose' } });
if (operation !== 'createPlant' || plant.name !== 'Rose') throw new Error(`${operation}: ${plant.name}`);

const error: unknown = await mutationFn({ body: { id: 1n, name: 'Fern' } }).catch(
  (thrown: unknown) => thrown,
);
if (!(error instanceof RejectedError)) throw error;
if (!isRejectedError(error, errors.id_taken.error) || retry(1, error)) throw error;

const { getPlant } = plantStore;
const stored = await getPlant.queryOptions({ params: { id: 1n } }).queryFn(new AbortController());
const key: readonly unknown[] = getPlant.queryKey({ params: { id: 1 } });
// @ts-expect-error without TanStack Query the key has no data, and is not any
const text: string = getPlant.queryKey({ params: { id: 1 } });
const id: bigint = deserialize<typeof stored>(serialize(stored)).id;
if (id !== 1n || key[1] !== 'getPlant' || `${text}` !== `${key}`) throw new Error(`${id}: ${key}`);

/** Their declarations can be written, as those of libraries are. */
export const createRose = () => plantStore.createPlant.mutationOptions();
export const rose = () => getPlant.queryOptions({ params: { id: 1n } });
export const roseKey = () => getPlant.queryKey({ params: { id: 1n } });
