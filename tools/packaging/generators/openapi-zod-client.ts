import { createApiClient } from './generated/openapi-zod-client.js';
import { authorization, baseUrl, useClient } from './use-client.js';

// The schema of an id takes a number alone.
const client = createApiClient(baseUrl, {
  validate: 'response',
  axiosConfig: { headers: { authorization } },
});

await useClient({
  create: (plant) => client.createPlant(plant),
  list: async () => (await client.listPlants()).plants,
  get: (plant) => client.getPlant({ params: { id: plant.id } }),
  delete: (plant) => client.deletePlant(undefined, { params: { id: plant.id } }),
});
