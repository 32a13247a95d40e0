import * as z from 'zod';
import { INT64_MAX, INT64_MIN, isInt64 } from './int64.js';
import type { NewPlant, NewPlantInput, Plant, SchemaTypes } from './operation.js';

/**
 * `integer, format int64` of the API: takes a safe `number` or a `bigint`, gives a `bigint`.
 *
 * Fails on everything that is not exactly a 64-bit signed integer, strings of digits among them.
 */
export const Int64Schema = z
  .custom<number | bigint>(isInt64, {
    error: ({ input }) =>
      input === undefined ? 'is required' : `must be an integer from ${INT64_MIN} to ${INT64_MAX}`,
  })
  .meta({ override: { type: 'integer', format: 'int64' } })
  .transform((value) => BigInt(value));

/**
 * `integer, format int64` as a parameter in a path or a query: takes the decimal digits as text, gives a `bigint`.
 *
 * Only the shortest notation is valid, so that one value has one URL: no plus sign, no leading zero and no `-0`. The input
 * is typed as what a client passes, which writes it as text.
 */
export const Int64ParameterSchema = z
  .custom<number | bigint>(
    (value) => typeof value === 'string' && shortest.test(value) && isInt64(BigInt(value)),
    {
      error: ({ input }) =>
        input === undefined ? 'is required' : `must be an integer from ${INT64_MIN} to ${INT64_MAX}`,
    },
  )
  .meta({ override: { type: 'integer', format: 'int64' } })
  .transform((value) => BigInt(value));

/** Bounded, since `BigInt` takes time that grows with the square of the length. */
const shortest = /^(0|-?[1-9]\d{0,18})$/;

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

/** The schemas by the names that operations refer to. */
export const schemas = {
  Plant: PlantSchema,
  NewPlant: NewPlantSchema,
  Int64Parameter: Int64ParameterSchema,
} satisfies { [Name in keyof SchemaTypes]: z.ZodType<unknown, SchemaTypes[Name]> };
