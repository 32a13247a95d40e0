// packages: @kubb/plugin-client@4.39.3
// peers: @kubb/cli@4.39.3 @kubb/core@4.39.3 @kubb/plugin-oas@4.39.3 @kubb/plugin-ts@4.39.3
// command: kubb generate --config kubb.config.mjs
import { createPlant, deletePlant, getPlant, listPlants } from './generated/kubb/index.js';
import { authorization, baseUrl, useClient } from './use-client.js';

const options = { baseURL: baseUrl, headers: { authorization, 'content-type': 'application/json' } };

await useClient({
  create: (plant) => createPlant(plant, options),
  list: async () => (await listPlants(undefined, options)).plants,
  get: (plant) => getPlant(plant.id, options),
  delete: (plant) => deletePlant(plant.id, undefined, options),
});
