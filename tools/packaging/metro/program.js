// Bundled by Metro: the entry points of the client but that for MSW, and calls that use them.
import { createClient, errors, isNetworkError, NetworkError } from '@plant-store/client';
import { createTanstackQueryUtils, isRejectedError } from '@plant-store/client/tanstack-query';
import { createFakePlantStore } from '@plant-store/client/testing';
import { unwrap } from '@plant-store/client/unwrap';

const store = createFakePlantStore();
const client = createClient({ baseUrl: store.baseUrl, token: store.token, fetch: store.fetch });
const lost = new NetworkError('lost', { outcome: 'unknown' });
if (!isNetworkError(lost) || lost.name !== 'NetworkError' || String(lost) !== 'NetworkError: lost') {
  throw new Error('The error classes do not survive bundling');
}

const { mutationFn } = createTanstackQueryUtils(client).createPlant.mutationOptions();

/** Read by bundle.js, which runs the bundle. */
globalThis.created = Promise.all([
  client.createPlant({ body: { id: 9223372036854775807n, name: 'Rose' } }),
  client.createPlant({ body: { id: 1, name: '\0' } }),
  mutationFn({ body: { id: 9223372036854775807n, name: 'Fern' } }).catch((error) => error),
  unwrap(client.createPlant({ body: { id: 2, name: 'Fern' } })),
]).then(([created, rejected, taken, { name }]) => [
  created.status,
  rejected.body.error === errors.invalid_plant.error &&
    isRejectedError(taken, errors.id_taken.error) &&
    name === 'Fern',
]);
