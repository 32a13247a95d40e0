import { createClient, errors } from '@plant-store/client';
import { createTanstackQueryUtils, isRejectedError } from '@plant-store/client/tanstack-query';
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

/** Its declaration can be written, as those of libraries are. */
export const createRose = () => plantStore.createPlant.mutationOptions();
