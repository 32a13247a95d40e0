import { isInt64 } from '@plant-store/contract';
import { errors } from '@plant-store/contract/errors';

export { garden } from '../../contract/test/garden.js';

// A resource of the API has its errors in the registry; see `defineResource`.
Object.assign(errors, {
  invalid_garden: { error: 40012, status: 400 },
  garden_not_found: { error: 40403, status: 404 },
});

export interface Garden {
  readonly name: string;
  readonly area?: bigint | undefined;
  readonly isOpen: boolean;
  readonly plantedAt?: string | undefined;
  readonly plantIds: bigint[];
}

export const gardens: readonly [Garden, Garden, Garden] = [
  {
    name: 'Orchard',
    area: 9007199254740993n,
    isOpen: true,
    plantedAt: '2026-11-25T10:00:00.007Z',
    plantIds: [7n, 9223372036854775807n, -1n],
  },
  { name: '🌱 "Hill"', area: 0n, isOpen: false, plantIds: [7n, 7n] },
  { name: '', isOpen: false, plantIds: [] },
];

/** Reads a garden of a batch. */
export const newGardenSchema = {
  safeParse(item: unknown) {
    const { id, name, area, isOpen, plantedAt, plantIds } = Object(item);
    if (typeof name !== 'string') return { error: { issues: [{ path: ['name'], message: 'is required' }] } };
    if (!isInt64(id)) return { error: { issues: [{ path: ['id'], message: 'is required' }] } };
    const data = {
      id: BigInt(id),
      name,
      area,
      isOpen,
      plantedAt,
      plantIds: plantIds.map(BigInt) as bigint[],
    };
    return { data: { ...data, area: area === undefined ? undefined : BigInt(area) } };
  },
};
