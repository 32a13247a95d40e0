import { expectTypeOf, test } from 'vitest';
import type { z } from 'zod';
import type { NewPlant, NewPlantInput, Plant, StoredPlant } from './operations.js';
import type { NewPlantSchema, PlantSchema } from './schemas.js';

test('the types are the inputs and outputs of the schemas', () => {
  expectTypeOf<z.input<typeof PlantSchema>>().toEqualTypeOf<Plant>();
  expectTypeOf<z.output<typeof PlantSchema>>().toEqualTypeOf<Plant>();
  expectTypeOf<z.input<typeof NewPlantSchema>>().toEqualTypeOf<NewPlantInput>();
  expectTypeOf<z.output<typeof NewPlantSchema>>().toEqualTypeOf<NewPlant>();
});

test('a plant to create has an id, its text, or both, as a stored plant has', () => {
  expectTypeOf<{ id: bigint; name: string }>().toExtend<NewPlantInput>();
  expectTypeOf<{ idText: string; name: string }>().toExtend<NewPlantInput>();
  expectTypeOf<{ id: number; idText: string; name: string }>().toExtend<NewPlantInput>();
  expectTypeOf<StoredPlant>().toExtend<NewPlantInput>();
});

test('a plant with a mistake does not compile', () => {
  const take = (_: NewPlantInput) => {};
  // @ts-expect-error An id is no string.
  take({ id: '1', name: 'Rose' });
  // @ts-expect-error The id is missing.
  take({ name: 'Rose' });
  // @ts-expect-error The text of an id is no number.
  take({ idText: 1, name: 'Rose' });
  // @ts-expect-error The name is missing.
  take({ id: 1 });
  // @ts-expect-error The tag is misspelt.
  take({ id: 1, name: 'Rose', tags: 'shrub' });
  take({ id: 1, name: 'Rose' });
  // @ts-expect-error A tag is a string or absent.
  take({ id: 1, name: 'Rose', tag: null });
});
