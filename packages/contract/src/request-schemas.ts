import type { ZodObject, ZodType } from 'zod';
import { NewPlantSchema } from './plant.js';
import type { routes } from './routes.js';

/** The schemas of the parts of a request. A part without a schema is not read. */
export interface RequestSchemas {
  /** The parameters in the path, each as text; one for each `:name` of the route's path. */
  readonly path?: ZodObject;
  /** The parameters in the query, each as text, or as a list of texts where one is sent more than once. */
  readonly query?: ZodObject;
  /** Headers by their names in lower case; others are not read. */
  readonly headers?: ZodObject;
  /** The JSON body. */
  readonly body?: ZodType;
}

/** What the service reads of the requests of each operation. The contract and the fake plant store validate by it. */
export const requestSchemas = {
  createPlant: { body: NewPlantSchema },
} satisfies Record<keyof typeof routes, RequestSchemas>;
