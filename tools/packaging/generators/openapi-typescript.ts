// packages: openapi-typescript@7.13.0 openapi-fetch@0.17.0
// command: openapi-typescript openapi.json -o generated/openapi-typescript.ts
import createClient from 'openapi-fetch';
import type { paths } from './generated/openapi-typescript.js';
import { authorization, baseUrl, useClient } from './use-client.js';

const client = createClient<paths>({ baseUrl, headers: { authorization } });

await useClient({
  create: (body) => client.POST('/plants', { body }),
  list: async () => (await client.GET('/plants')).data?.plants,
  get: async (plant) => (await client.GET('/plants/{id}', { params: { path: { id: plant.id } } })).data,
  delete: (plant) => client.DELETE('/plants/{id}', { params: { path: { id: plant.id } } }),
});
