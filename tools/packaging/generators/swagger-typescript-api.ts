// packages: swagger-typescript-api@13.13.0
// command: swagger-typescript-api generate -p openapi.json -o generated -n swagger-typescript-api.ts
import { Api } from './generated/swagger-typescript-api.js';
import { authorization, baseUrl, useClient } from './use-client.js';

const { plants } = new Api({ baseUrl, baseApiParams: { headers: { authorization } } });

await useClient({
  create: (plant) => plants.createPlant(plant),
  list: async () => (await plants.listPlants()).data.plants,
  get: async (plant) => (await plants.getPlant(plant.id)).data,
  delete: (plant) => plants.deletePlant(plant.id),
});
