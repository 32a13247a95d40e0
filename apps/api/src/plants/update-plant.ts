import { hash } from 'node:crypto';
import type { Plant } from '@plant-store/contract';
import { operationsByName } from '../resources.js';

const { columns } = operationsByName.plant;

export const { withFields } = operationsByName.plant;

/** What identifies the create of a plant once it is updated. Its texts cannot be read from it. */
export function fingerprintOf(plant: Plant): string {
  return hash('sha256', columns.identify(plant), 'base64url');
}
