import { NewPlantSchema, type Plant } from '@plant-store/contract';
import { resources } from '@plant-store/contract/resources';
import { expectTypeOf, it } from 'vitest';
import { type Garden, garden } from '../test/garden.js';
import type { ServiceError } from './errors.js';
import { createMemoryStore } from './memory-store.js';
import { operationsOf, type Shown } from './operations.js';

const platform = { digest: (text: string) => text, now: () => 0 };
const plants = createMemoryStore<Plant>(resources.plant, platform);
const gardens = createMemoryStore<Garden>(garden, platform);
const operations = operationsOf<Plant, 'plant'>(resources.plant, NewPlantSchema, platform);
const pace = { limits: () => ({ bytes: 1 }) };

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

it('a reply has the record under the name of its resource', () => {
  expectTypeOf(operations.getMany(plants, { items: [] }))
    .resolves.items.exclude<ServiceError>()
    .toHaveProperty('plant')
    .toEqualTypeOf<Shown<Plant>>();
  expectTypeOf(operations.changes(plants, { after: '0' }, pace))
    .resolves.toHaveProperty('changes')
    .items.extract<{ kind: 'created' | 'updated' }>()
    .toHaveProperty('plant')
    .toEqualTypeOf<Shown<Plant>>();
});
