import type { StoredPlant as StoredPlantReply } from '@plant-store/contract';
import { plantFieldNames } from '@plant-store/contract/fields';
import { toIsoTime } from '../runtime/timing.js';
import type { StoredPlant } from './plant-store.js';

/** The members of a plant in replies, in their order. A copy has all of them at once, which makes writing it faster. */
const members = Object.fromEntries(
  ['id', 'idText', ...plantFieldNames, 'addedAt'].map((name) => [name, undefined]),
);

/** A plant as replies show it, with its id as text, too, and its time in ISO 8601. JSON leaves out what is undefined. */
export function showStoredPlant(plant: StoredPlant): StoredPlantReply {
  const { id, addedAt } = plant;
  const time = typeof addedAt === 'number' ? toIsoTime(addedAt) : undefined;
  const shown = { ...members, ...plant, idText: id.toString(), addedAt: time, original: undefined };
  return shown;
}
