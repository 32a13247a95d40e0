import * as z from 'zod';
import { errors } from './errors.js';

/** The body of every reply that is not a success (interface: Resources, Error). */
export const ErrorSchema = z
  .object({
    error: z.int32().meta({
      description: 'Numeric error value: the HTTP status times 100, plus a serial number',
      override: { type: 'integer', format: 'int32', minimum: undefined, maximum: undefined },
    }),
    message: z.string().meta({ description: 'Error message text' }),
  })
  .meta({
    id: 'Error',
    description: 'What went wrong, as a stable number and as a sentence that says what to do.',
    examples: [{ error: errors.id_taken.error, message: errors.id_taken.example }],
  });

/** `{ error, message }`; named so as not to hide the global `Error`. */
export type ErrorBody = z.output<typeof ErrorSchema>;
