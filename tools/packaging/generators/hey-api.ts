// packages: @hey-api/openapi-ts@0.99.0
// command: openapi-ts -i openapi.json -o generated/hey-api
import { client } from './generated/hey-api/client.gen.js';
import { createPlant, deletePlant, getPlant, listPlants } from './generated/hey-api/index.js';
import { baseUrl, token, useClient } from './use-client.js';

client.setConfig({ baseUrl, auth: token });

await useClient({
  create: (body) => createPlant({ body }),
  list: async () => (await listPlants()).data?.plants,
  get: async (plant) => (await getPlant({ path: { id: plant.id } })).data,
  delete: (plant) => deletePlant({ path: { id: plant.id } }),
});
