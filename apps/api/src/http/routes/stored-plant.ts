import type { StoredPlant as StoredPlantReply } from '@plant-store/contract';
import type { StoredPlant } from '../../plants/plant-store.js';
import { toIsoTime } from '../../runtime/iso-time.js';

/** A plant as replies show it, with its time in ISO 8601. */
export function showStoredPlant({ id, addedAt, ...plant }: StoredPlant): StoredPlantReply {
  // JSON leaves out what is undefined.
  return {
    id,
    idText: id.toString(),
    ...plant,
    addedAt: typeof addedAt === 'number' ? toIsoTime(addedAt) : undefined,
  };
}
