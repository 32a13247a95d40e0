// packages: oazapfts@7.5.0 @oazapfts/runtime@1.2.0
// command: oazapfts openapi.json generated/oazapfts.ts
import { createPlant, defaults, deletePlant, getPlant, listPlants } from './generated/oazapfts.js';
import { authorization, baseUrl, useClient } from './use-client.js';

Object.assign(defaults, { baseUrl, headers: { authorization } });

await useClient({
  create: (plant) => createPlant(plant),
  list: async () => {
    const reply = await listPlants();
    return reply.status === 200 ? reply.data.plants : undefined;
  },
  get: async (plant) => {
    const reply = await getPlant(plant.id);
    return reply.status === 200 ? reply.data : undefined;
  },
  delete: (plant) => deletePlant(plant.id),
});
