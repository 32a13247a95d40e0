// packages: openapi-client-axios-typegen@7.8.0 openapi-client-axios@7.9.1
// peers: axios@1.21.1
// command: typegen openapi.json
// output: generated/openapi-client-axios.d.ts
import { OpenAPIClientAxios } from 'openapi-client-axios';
import type { Client } from './generated/openapi-client-axios.js';
import { authorization, baseUrl, useClient } from './use-client.js';

const api = new OpenAPIClientAxios({
  definition: `${baseUrl}/openapi.json`,
  axiosConfigDefaults: { baseURL: baseUrl, headers: { authorization } },
});
const client = await api.init<Client>();

await useClient({
  create: (plant) => client.createPlant(null, plant),
  list: async () => (await client.listPlants()).data.plants,
  get: async (plant) => (await client.getPlant({ id: plant.id })).data,
  delete: (plant) => client.deletePlant({ id: plant.id }),
});
