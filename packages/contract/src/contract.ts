import { initContract } from '@ts-rest/core';
import * as z from 'zod';
import { routes } from './routes.js';
import {
  ChangePageSchema,
  ChangeQuerySchema,
  CreateResultsSchema,
  DeleteResultsSchema,
  errorSchema,
  GetResultsSchema,
  IfMatchSchema,
  IfNoneMatchOrReuseSchema,
  IfNoneMatchSchema,
  IssuedTokenSchema,
  NewPlantSchema,
  NewPlantsSchema,
  NewTokenSchema,
  NoQuerySchema,
  OwnTokenSchema,
  PlantIdSchema,
  PlantIdsSchema,
  PlantPageSchema,
  PlantQuerySchema,
  PlantSchema,
  StoredPlantSchema,
  TagPageSchema,
  TagQuerySchema,
  TokenIdSchema,
  TokenListSchema,
  TokenRotationSchema,
} from './schemas.js';

const c = initContract();

/** No body, by a type of zod, so that the declarations of the contract need no types of ts-rest. */
const noBody = c.noBody() as unknown as z.ZodType<undefined>;

/** An update by either of two headers, or both: ts-rest's types make a caller choose if the operation is a union. */
type WithEither<Operation extends { headers: object }, Header extends keyof Operation['headers']> = {
  [Name in Header]: Omit<Operation, 'headers'> & {
    headers: Omit<Operation['headers'], Name> & {
      [Required in Name]: Operation['headers'][Name] extends z.ZodOptional<infer Schema> ? Schema : never;
    };
  };
}[Header];

/**
 * The API, version 1.0.0: every operation with the request that it takes and each reply that it may give.
 *
 * The service implements this router and the client is typed by it. `openapi-texts.ts` has what the OpenAPI document says besides.
 */
const router = c.router(
  {
    createPlant: {
      ...routes.createPlant,
      summary: 'Create plant',
      metadata: { scope: 'create', resource: 'plant', operation: 'create' } as const,
      query: NoQuerySchema,
      body: NewPlantSchema,
      responses: { 200: PlantSchema, 400: errorSchema(400) },
    },
    getPlant: {
      ...routes.getPlant,
      summary: 'Get plant',
      metadata: { scope: 'read', resource: 'plant', operation: 'get' } as const,
      pathParams: z.object({ id: PlantIdSchema }),
      query: NoQuerySchema,
      // It takes conditions, too. Declared here, some generated clients would require headers of each call.
      responses: {
        200: StoredPlantSchema,
        304: noBody,
        400: errorSchema(400),
        404: errorSchema(404),
        412: errorSchema(412),
      },
    },
    listPlants: {
      ...routes.listPlants,
      summary: 'List plants',
      metadata: { scope: 'read', resource: 'plant', operation: 'list' } as const,
      query: PlantQuerySchema,
      responses: { 200: PlantPageSchema, 400: errorSchema(400) },
    },
    createPlants: {
      ...routes.createPlants,
      summary: 'Create plants',
      metadata: { scope: 'create', resource: 'plant', operation: 'createMany' } as const,
      query: NoQuerySchema,
      body: NewPlantsSchema,
      responses: { 200: CreateResultsSchema, 400: errorSchema(400) },
    },
    getPlants: {
      ...routes.getPlants,
      summary: 'Get plants',
      metadata: { scope: 'read', resource: 'plant', operation: 'getMany' } as const,
      query: NoQuerySchema,
      body: PlantIdsSchema,
      responses: { 200: GetResultsSchema, 400: errorSchema(400) },
    },
    deletePlants: {
      ...routes.deletePlants,
      summary: 'Delete plants',
      metadata: { scope: 'delete', resource: 'plant', operation: 'deleteMany' } as const,
      query: NoQuerySchema,
      body: PlantIdsSchema,
      responses: { 200: DeleteResultsSchema, 400: errorSchema(400) },
    },
    updatePlant: {
      ...routes.updatePlant,
      summary: 'Update plant',
      metadata: { scope: 'update', resource: 'plant', operation: 'update' } as const,
      pathParams: z.object({ id: PlantIdSchema }),
      query: NoQuerySchema,
      headers: { 'if-match': IfMatchSchema, 'if-none-match': IfNoneMatchOrReuseSchema },
      body: PlantSchema,
      responses: {
        200: StoredPlantSchema,
        400: errorSchema(400),
        404: errorSchema(404),
        412: errorSchema(412),
      },
    },
    deletePlant: {
      ...routes.deletePlant,
      summary: 'Delete plant',
      metadata: { scope: 'delete', resource: 'plant', operation: 'delete' } as const,
      pathParams: z.object({ id: PlantIdSchema }),
      query: NoQuerySchema,
      headers: { 'if-match': IfMatchSchema, 'if-none-match': IfNoneMatchSchema },
      responses: { 204: noBody, 400: errorSchema(400), 404: errorSchema(404), 412: errorSchema(412) },
    },
    listTags: {
      ...routes.listTags,
      summary: 'List tags',
      metadata: { scope: 'read', resource: 'plant', operation: 'count', field: 'tag' } as const,
      query: TagQuerySchema,
      responses: { 200: TagPageSchema, 400: errorSchema(400) },
    },
    listChanges: {
      ...routes.listChanges,
      summary: 'List changes',
      metadata: { scope: 'read', resource: 'plant', operation: 'changes' } as const,
      query: ChangeQuerySchema,
      responses: { 200: ChangePageSchema, 400: errorSchema(400), 501: errorSchema(501) },
    },
    getOwnToken: {
      ...routes.getOwnToken,
      summary: 'Get own token',
      // Each valid token may ask what it permits.
      metadata: { scope: undefined },
      query: NoQuerySchema,
      responses: { 200: OwnTokenSchema, 400: errorSchema(400) },
    },
    listTokens: {
      ...routes.listTokens,
      summary: 'List tokens',
      metadata: { scope: 'admin' } as const,
      query: NoQuerySchema,
      responses: { 200: TokenListSchema, 400: errorSchema(400) },
    },
    createToken: {
      ...routes.createToken,
      summary: 'Create token',
      metadata: { scope: 'admin' } as const,
      query: NoQuerySchema,
      body: NewTokenSchema,
      responses: { 200: IssuedTokenSchema, 400: errorSchema(400) },
    },
    rotateToken: {
      ...routes.rotateToken,
      summary: 'Rotate token',
      metadata: { scope: 'admin' } as const,
      pathParams: z.object({ id: TokenIdSchema }),
      query: NoQuerySchema,
      body: TokenRotationSchema,
      responses: { 200: IssuedTokenSchema, 400: errorSchema(400), 404: errorSchema(404) },
    },
    revokeToken: {
      ...routes.revokeToken,
      summary: 'Revoke token',
      metadata: { scope: 'admin' } as const,
      pathParams: z.object({ id: TokenIdSchema }),
      query: NoQuerySchema,
      responses: { 204: noBody, 400: errorSchema(400), 404: errorSchema(404) },
    },
  },
  {
    strictStatusCodes: true,
    commonResponses: {
      401: errorSchema(401),
      403: errorSchema(403),
      429: errorSchema(429),
      500: errorSchema(500),
      503: errorSchema(503),
    },
  },
);

export const contract = router as unknown as Omit<typeof router, 'updatePlant'> & {
  updatePlant: WithEither<(typeof router)['updatePlant'], 'if-match' | 'if-none-match'>;
};
