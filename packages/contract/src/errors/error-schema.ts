import * as z from 'zod';
import type { ErrorBody } from './errors.js';

/** The body of every reply that is not a success (API: Resources, Error). */
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
    // No example here: mock servers would send it with every status. Each reply has examples of its own errors.
    description: 'What went wrong, as a stable number and as a sentence that explains what to do.',
  });

/**
 * `ErrorSchema`, typed by the numbers that are listed for a status. It takes every int32 all the same, since a service
 * of another version may send a number that this one does not list.
 */
export function errorSchemaOf<Status extends number>(_status: Status): z.ZodType<ErrorBody<Status>> {
  return ErrorSchema as z.ZodType<ErrorBody<Status>>;
}
