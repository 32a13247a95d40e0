// Bundled by Metro: both entry points of the client, and a call that uses them.
import { createClient, errors, isNetworkError, NetworkError } from '@plant-store/client';
import { createFakePlantStore } from '@plant-store/client/testing';

const store = createFakePlantStore();
const client = createClient({ baseUrl: store.baseUrl, token: store.token, fetch: store.fetch });
const lost = new NetworkError('lost', { outcome: 'unknown' });
if (!isNetworkError(lost) || lost.name !== 'NetworkError' || String(lost) !== 'NetworkError: lost') {
  throw new Error('The error classes do not survive bundling');
}

/** Read by bundle.js, which runs the bundle. */
globalThis.created = Promise.all([
  client.createPlant({ body: { id: 9223372036854775807n, name: 'Rose' } }),
  client.createPlant({ body: { id: 1, name: '\0' } }),
]).then(([created, refused]) => [created.status, refused.body.error === errors.invalid_plant.error]);
