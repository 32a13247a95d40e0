import type { StoredPlant as StoredPlantReply } from '@plant-store/contract';
import type { StoredPlant } from '../../plants/plant-store.js';

/** A plant as replies show it, with its time in ISO 8601. */
export function showStoredPlant({ id, name, tag, addedAt }: StoredPlant): StoredPlantReply {
  return {
    ...{ id, name },
    ...(tag !== undefined && { tag }),
    ...(typeof addedAt === 'number' && { addedAt: new Date(addedAt).toISOString() }),
  };
}
