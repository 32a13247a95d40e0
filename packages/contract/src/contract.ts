import { type AppRoute, initContract } from '@ts-rest/core';
import type { ZodType } from 'zod';
import { errorSchemaOf } from './errors/error-schema.js';
import type { OperationMetadata } from './operation-metadata.js';
import { PlantSchema } from './plant.js';
import { requestSchemas } from './request-schemas.js';
import { routes } from './routes.js';

/** One schema for each status that the route of an operation names, neither more nor fewer. */
type Replies<Operation extends keyof typeof routes> = Record<
  (typeof routes)[Operation]['statuses'][number],
  ZodType
>;

/**
 * The API, version 1.0.0: every operation with the request it takes and each reply it may give.
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
        'answered 200 again and stored once, so a create can always be retried safely.',
      metadata: {
        access: 'write',
        tag: 'plants',
        replies: {
          200: {
            description: 'The plant response: the plant is stored, durably',
            headers: ['Idempotent-Replayed'],
          },
          400: { description: 'Something is wrong with the request itself; nothing was stored' },
          503: { description: 'The service cannot store plants at the moment' },
        },
      } satisfies OperationMetadata<'createPlant'>,
      body: requestSchemas.createPlant.body,
      responses: {
        200: PlantSchema,
        400: errorSchemaOf(400),
        401: errorSchemaOf(401),
        403: errorSchemaOf(403),
        429: errorSchemaOf(429),
        500: errorSchemaOf(500),
        503: errorSchemaOf(503),
      } satisfies Replies<'createPlant'>,
    },
  } satisfies Contract,
  { strictStatusCodes: true },
);

/** An entry for each operation. */
type Contract = { [Name in keyof typeof routes]: AppRoute & { metadata: OperationMetadata<Name> } };
