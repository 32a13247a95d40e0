import * as z from 'zod';
import { Int64Schema } from './int64/int64-schema.js';
import type { NewPlant, NewPlantInput, Plant } from './operations.js';

/** Text that every database stores unchanged: no NUL and no unpaired surrogate; empty is allowed. */
const TextSchema = z
  .string({ error: ({ input }) => (input === undefined ? 'is required' : 'must be a string') })
  .refine((text) => !text.includes('\0'), { error: 'must not contain the character NUL (U+0000)' })
  .refine((text) => text.isWellFormed(), { error: 'must not contain an unpaired surrogate' });

/** A plant as the service shows it (API: Resources, Plant). */
export const PlantSchema = z
  .object({
    name: TextSchema.meta({ description: 'The name of the plant' }),
    tag: TextSchema.meta({ description: 'Tag that specifies the type of the plant' }).optional(),
  })
  .meta({
    id: 'Plant',
    description: 'A plant in the store.',
    examples: [{ name: 'Monstera deliciosa', tag: 'houseplant' }],
  }) satisfies z.ZodType<Plant, Plant>;

/** What a client sends to create a plant (API: Resources, NewPlant); fields beyond these are ignored. */
export const NewPlantSchema = z
  .object(
    {
      id: Int64Schema.meta({ description: 'Identification number of the plant' }),
      ...PlantSchema.shape,
    },
    { error: 'must be a JSON object' },
  )
  .meta({
    id: 'NewPlant',
    description: 'A plant to create, under an id that the client chooses.',
    // An override, since zod leaves the examples of a transforming schema out of its input.
    override: { examples: [{ id: 1, name: 'Monstera deliciosa', tag: 'houseplant' }] },
  }) satisfies z.ZodType<NewPlant, NewPlantInput>;
