// packages: openapi-zod-client@1.18.3 @zodios/core@10.9.6
// peers: zod@3.25.76 axios@1.21.1
// command: openapi-zod-client openapi.json -o generated/openapi-zod-client.ts
import { createApiClient } from './generated/openapi-zod-client.js';
import { authorization, baseUrl, useClient } from './use-client.js';

const client = createApiClient(baseUrl, { axiosConfig: { headers: { authorization } } });

await useClient({
  create: (plant) => client.createPlant(plant),
  list: async () => (await client.listPlants()).plants,
  get: (plant) => client.getPlant({ params: { id: plant.id } }),
  delete: (plant) => client.deletePlant(undefined, { params: { id: plant.id } }),
});
