import { contract } from '@plant-store/contract';
import { initServer } from '@ts-rest/express';
import { createPlant } from '../../plants/create-plant.js';
import type { PlantBatcher } from '../../plants/plant-batcher.js';

/** The contract's operations, each handed to the code that carries it out. */
export function plantHandlers(plants: PlantBatcher) {
  return initServer().router(contract, {
    createPlant: async ({ body, res }) => {
      res.locals['plantId'] = body.id.toString();
      const { plant, replayed } = await createPlant(plants, body);
      if (replayed) res.setHeader('Idempotent-Replayed', 'true');
      return { status: 200, body: plant };
    },
  });
}
