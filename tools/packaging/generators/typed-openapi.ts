// packages: typed-openapi@2.2.7
// command: typed-openapi openapi.json -o generated/typed-openapi.ts
import { createApiClient } from './generated/typed-openapi.js';
import { authorization, baseUrl, useClient } from './use-client.js';

const headers = { authorization, 'content-type': 'application/json' };
const client = createApiClient(
  {
    fetch: ({ method, url, parameters }) =>
      fetch(url, { method, headers, body: parameters?.body ? JSON.stringify(parameters.body) : null }),
  },
  baseUrl,
);

await useClient({
  create: (body) => client.post('/plants', { body }),
  list: async () => (await client.get('/plants', { query: {} })).plants,
  get: (plant) => client.get('/plants/{id}', { path: { id: plant.id } }),
  delete: (plant) => client.delete('/plants/{id}', { path: { id: plant.id }, header: {} }),
});
