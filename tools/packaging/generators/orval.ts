// packages: orval@8.38.0
// command: orval --config orval.config.mjs
import { createPlant, deletePlant, getPlant, listPlants } from './generated/orval.js';
import { authorization, useClient } from './use-client.js';

const options = { headers: { authorization } };

await useClient({
  create: (plant) => createPlant(plant, options),
  list: async () => {
    const reply = await listPlants(undefined, options);
    return reply.status === 200 ? reply.data.plants : undefined;
  },
  get: async (plant) => {
    const reply = await getPlant(plant.id, options);
    return reply.status === 200 ? reply.data : undefined;
  },
  delete: (plant) => deletePlant(plant.id, options),
});
