import { type AppRoute, initContract } from '@ts-rest/core';
import type { ZodType } from 'zod';
import { errorSchemaOf } from './errors/error-schema.js';
import { NewPlantSchema, PlantSchema } from './plant.js';
import { routes } from './routes.js';

/** One schema for each status that the route of an operation names, neither more nor fewer. */
type Replies<Operation extends keyof typeof routes> = Record<
  (typeof routes)[Operation]['statuses'][number],
  ZodType
>;

/**
 * The interface, version 1.0.0: every operation with the body it takes and each reply it may give.
 *
 * The service implements this router and the client is typed by it, so neither can drift from the other.
 */
export const contract = initContract().router(
  {
    createPlant: {
      method: routes.createPlant.method,
      path: routes.createPlant.path,
      summary: 'Create plant',
      description:
        'Creates a new plant in the store. The id is also the key of the request: the same plant again is ' +
        'answered 200 again and stored once, so a create can always be repeated safely.',
      body: NewPlantSchema,
      responses: {
        200: PlantSchema,
        400: errorSchemaOf(400),
        401: errorSchemaOf(401),
        429: errorSchemaOf(429),
        500: errorSchemaOf(500),
        503: errorSchemaOf(503),
      } satisfies Replies<'createPlant'>,
    },
  } satisfies Record<keyof typeof routes, AppRoute>,
  { strictStatusCodes: true },
);
