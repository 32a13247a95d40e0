import { NewPlantSchema, type Plant } from '@plant-store/contract';
import { resources } from '@plant-store/contract/resources';
import { it } from 'vitest';
import { type Garden, garden } from '../test/garden.js';
import { createMemoryStore } from './memory-store.js';
import { operationsOf } from './operations.js';

const platform = { digest: (text: string) => text, now: () => 0 };
const plants = createMemoryStore<Plant>(resources.plant, platform);
const gardens = createMemoryStore<Garden>(garden, platform);
const operations = operationsOf<Plant>(resources.plant, NewPlantSchema, platform);

it('the operations of a resource take no store of another one', () => {
  void operations.create(plants, { id: 1n, name: '' });
  // @ts-expect-error -- a plant would be stored as a garden
  void operations.create(gardens, { id: 1n, name: '' });
  // @ts-expect-error
  void operations.createMany(gardens, { items: [] });
  // @ts-expect-error
  void operations.update(gardens, 1n, { name: '' }, {});
  // @ts-expect-error
  void operations.delete(gardens, 1n);
  // @ts-expect-error -- a schema of plants does not read gardens
  operationsOf<Garden>(garden, NewPlantSchema, platform);
});
