import type { contract } from '@plant-store/contract';
import type { AppRouteImplementation } from '@ts-rest/express';
import { createPlant } from '../../plants/create-plant.js';
import type { PlantQueue } from '../../plants/plant-store.js';
import { callerOf } from '../middleware/bearer-auth.js';

/** Answers `createPlant`. */
export function createPlantHandler(queue: PlantQueue): AppRouteImplementation<typeof contract.createPlant> {
  return async ({ body, res }) => {
    res.locals['plantId'] = body.id.toString();
    const { replayed } = await createPlant(queue, body, callerOf(res.locals));
    if (replayed) res.setHeader('Idempotent-Replayed', 'true');
    // A Plant has no id (API: Resources, rule 2).
    const { id: _, ...plant } = body;
    return { status: 200, body: plant };
  };
}
