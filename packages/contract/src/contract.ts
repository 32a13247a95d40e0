import { initContract } from '@ts-rest/core';
import * as z from 'zod';
import { tokenMetadata } from './metadata.js';
import { routes } from './routes.js';
import {
  AuditPageSchema,
  AuditQuerySchema,
  ChangeQuerySchema,
  errorSchema,
  HistoryQuerySchema,
  IssuedTokenSchema,
  NewTokenSchema,
  NoQuerySchema,
  OwnTokenSchema,
  plants,
  TagPageSchema,
  TagQuerySchema,
  TokenIdSchema,
  TokenListSchema,
  TokenRotationSchema,
} from './schemas.js';

const c = initContract();

/** No body, typed as a zod schema, so that the contract's type declarations need no ts-rest types. */
const noBody = c.noBody() as unknown as z.ZodType<undefined>;

/**
 * A union of operations, each of which requires one of the headers and accepts the others. ts-rest cannot declare this in one operation.
 */
type WithEither<Operation extends { headers: object }, Header extends keyof Operation['headers']> = {
  [Name in Header]: Omit<Operation, 'headers'> & {
    headers: Omit<Operation['headers'], Name> & {
      [Required in Name]: Operation['headers'][Name] extends z.ZodOptional<infer Schema> ? Schema : never;
    };
  };
}[Header];

/**
 * The API, version 1.0.0: every operation with its request and all possible replies.
 *
 * The service implements this router, and the client gets its types from it. `metadata` describes what an operation needs and does. From
 * it, `replies.ts` derives the descriptions and errors of the replies, and `openapi-examples.ts` derives an example request.
 */
const router = c.router(
  {
    createPlant: {
      ...routes.createPlant,
      summary: 'Create plant',
      description:
        'Creates a new plant in the store. The ID is also the idempotency key: sending the same plant again returns 200 ' +
        'and stores nothing, so you can always retry a create. The `ETag` in the reply identifies the plant as it was created. ' +
        'Send this `ETag` as `If-Match` to update the plant without reading it first.',
      metadata: { scope: 'create', resource: 'plant', operation: 'create' } as const,
      query: NoQuerySchema,
      body: plants.create,
      responses: { 200: plants.fields },
    },
    getPlant: {
      ...routes.getPlant,
      summary: 'Get plant',
      description: 'Returns the plant with this ID. The data in the reply survives crashes and failovers.',
      metadata: { scope: 'read', resource: 'plant', operation: 'get' } as const,
      pathParams: z.object({ id: plants.id }),
      query: NoQuerySchema,
      // The operation also accepts conditional headers. They are not declared, because some generated clients would then require them.
      responses: { 200: plants.stored, 304: noBody, 404: errorSchema(404), 412: errorSchema(412) },
    },
    listPlants: {
      ...routes.listPlants,
      summary: 'List plants',
      description:
        'Returns a page of plants. To get the next page, pass `next` as `after`; the last page has no `next`. A page contains ' +
        '`limit` plants unless the list ends, the plants contain more than 4 MiB of text, or the search takes too long ' +
        '(`partial` is true). Pages never repeat a plant or omit a plant that existed when you requested the first page. A plant ' +
        'that is added later can appear on a later page. The data in the reply survives crashes and failovers.',
      metadata: { scope: 'read', resource: 'plant', operation: 'list' } as const,
      query: plants.query,
      responses: { 200: plants.page },
    },
    createPlants: {
      ...routes.createPlants,
      summary: 'Create plants',
      description:
        'Creates up to 1,000 plants. Each plant has its own result, in the order sent: 200 once it is stored durably, or the ' +
        'error number and message that a separate request would return. The reply is 200 even if some plants fail, and a failure ' +
        'does not affect the other plants. You can retry any part of a batch. The `etag` in a result identifies the plant as ' +
        'it was created.',
      metadata: { scope: 'create', resource: 'plant', operation: 'createMany' } as const,
      query: NoQuerySchema,
      body: plants.batch,
      responses: { 200: plants.createResults },
    },
    getPlants: {
      ...routes.getPlants,
      summary: 'Get plants',
      description:
        'Returns up to 1,000 plants by ID. Each ID has its own result, in the order sent: 200 with the plant, or the ' +
        'error number and message that a separate request would return. Use the `etag` in a result as the condition for an ' +
        'update or a delete. A reply contains at most 4 MiB of text, but always at least one plant. The remaining IDs get ' +
        'status 503, so send them again. The data in the reply survives crashes and failovers.',
      metadata: { scope: 'read', resource: 'plant', operation: 'getMany' } as const,
      query: NoQuerySchema,
      body: plants.ids,
      responses: { 200: plants.getResults },
    },
    updatePlants: {
      ...routes.updatePlants,
      summary: 'Update plants',
      description:
        'Replaces the name and the tag of up to 1,000 plants. A plant is updated only if its `ETag` matches the `ifMatch` that you sent for it. Each ' +
        'plant has its own result, in the order sent: 200 with the plant and its new `etag` once it is stored durably, or the ' +
        'error number and message that a `PUT` with this `If-Match` would return. A failure does not affect the other plants. ' +
        'Updates to the same ID are applied in order. If a plant already has these values, you get 200, so you can retry any ' +
        'part of a batch. A reply contains at most 4 MiB of text, but always at least one plant. The remaining plants get ' +
        'status 503 and are unchanged, so send them again.',
      metadata: {
        scope: 'update',
        resource: 'plant',
        operation: 'updateMany',
        example: { name: 'Monstera adansonii' },
      } as const,
      query: NoQuerySchema,
      body: plants.updates,
      responses: { 200: plants.updateResults },
    },
    deletePlants: {
      ...routes.deletePlants,
      summary: 'Delete plants',
      description:
        'Deletes up to 1,000 plants by ID. Each ID has its own result, in the order sent: 204 once the deletion is ' +
        'durable, even if the plant was deleted before, or the error number and message that a separate request would return. A failure ' +
        'does not affect the other IDs. You can retry any part of a batch. With `ifMatch`, a plant is deleted only if its ' +
        '`ETag` matches the `ETag` at the same position.',
      metadata: { scope: 'delete', resource: 'plant', operation: 'deleteMany' } as const,
      query: NoQuerySchema,
      body: plants.deletions,
      responses: { 200: plants.deleteResults },
    },
    updatePlant: {
      ...routes.updatePlant,
      summary: 'Update plant',
      description:
        'Durably replaces the name and the tag of the plant with this ID, if its `ETag` matches `If-Match`. A later retry of ' +
        'the create request still succeeds but does not revert the update. If a plant already has these values, you get 200, so you ' +
        'can retry an update. To reuse the ID of a deleted plant, send `If-None-Match: *`. **A request needs `If-Match` ' +
        'or `If-None-Match`, which OpenAPI cannot express**: a request without either gets 400. Both headers accept an `ETag` that a proxy ' +
        'has changed, such as `W/"…"` or `"…-gzip"`.',
      metadata: {
        scope: 'update',
        resource: 'plant',
        operation: 'update',
        example: { name: 'Monstera adansonii' },
      } as const,
      pathParams: z.object({ id: plants.id }),
      query: NoQuerySchema,
      headers: { 'if-match': plants.ifMatch, 'if-none-match': plants.ifNoneMatchOrReuse },
      body: plants.fields,
      responses: { 200: plants.stored, 404: errorSchema(404), 412: errorSchema(412) },
    },
    getPlantHistory: {
      ...routes.getPlantHistory,
      summary: 'Get plant history',
      description:
        'Returns the current state of the plant with this ID and its earlier states, newest first. The current state has no ' +
        '`until`. To restore an earlier state, send its fields in an update. A delete erases all states, and reusing the ID ' +
        'starts a new history. The operator can limit how long earlier states are kept. Only the last page has no `next`.',
      metadata: { scope: 'read', resource: 'plant', operation: 'history' } as const,
      pathParams: z.object({ id: plants.id }),
      query: HistoryQuerySchema,
      responses: { 200: plants.history, 404: errorSchema(404) },
    },
    deletePlant: {
      ...routes.deletePlant,
      summary: 'Delete plant',
      description:
        'Durably deletes the plant with this ID: its name and tag are erased, and its ID stays reserved, so a late retry of the ' +
        'create request cannot restore the plant. Deleting it again also returns 204. With `If-Match`, the plant is deleted only if ' +
        'its `ETag` matches; with `If-None-Match`, only if it does not match.',
      metadata: { scope: 'delete', resource: 'plant', operation: 'delete' } as const,
      pathParams: z.object({ id: plants.id }),
      query: NoQuerySchema,
      headers: { 'if-match': plants.ifMatch, 'if-none-match': plants.ifNoneMatch },
      responses: { 204: noBody, 404: errorSchema(404), 412: errorSchema(412) },
    },
    listTags: {
      ...routes.listTags,
      summary: 'List tags',
      description:
        'Returns the number of plants with each tag, sorted by tag, up to 10,000 tags per page. Plants without a tag are ' +
        'not counted.',
      metadata: { scope: 'read', resource: 'plant', operation: 'count', field: 'tag' } as const,
      query: TagQuerySchema,
      responses: { 200: TagPageSchema },
    },
    listChanges: {
      ...routes.listChanges,
      summary: 'List changes',
      description:
        'Returns a page of creates, updates, and deletes in a fixed order. To get the next page, now or ' +
        'later, pass `next` as `after`. Each plant is listed once, at the position of its last change, so you get the ' +
        'latest state of each plant and never an older state afterward. With `wait`, the service waits for a change before it returns an empty page. The data in the reply ' +
        'survives crashes and failovers.',
      metadata: { scope: 'read', resource: 'plant', operation: 'changes' } as const,
      query: ChangeQuerySchema,
      responses: { 200: plants.changePage, 501: errorSchema(501) },
    },
    getOwnToken: {
      ...routes.getOwnToken,
      summary: 'Get own token',
      description:
        'Returns the permissions and expiration time of your token. This operation needs no scope, so a program can check its token ' +
        'before it sends other requests.',
      metadata: tokenMetadata({
        // Any valid token can read its own scopes.
        scope: undefined,
        replies: {
          200: 'The token, without its secret',
          503: 'The service cannot look up tokens at the moment',
        },
      }),
      query: NoQuerySchema,
      responses: { 200: OwnTokenSchema },
    },
    listTokens: {
      ...routes.listTokens,
      summary: 'List tokens',
      description:
        'Returns all valid access tokens and the latest 1,000 revoked or expired tokens, ordered by ID and ' +
        'without their secrets. While there are 1,000 valid tokens, you cannot create or rotate tokens over HTTP.',
      metadata: tokenMetadata({ scope: 'admin', replies: { 200: 'The tokens' } }),
      query: NoQuerySchema,
      responses: { 200: TokenListSchema },
    },
    createToken: {
      ...routes.createToken,
      summary: 'Create token',
      description:
        'Creates an access token and returns its secret only once. The new token cannot have a scope that your token lacks, ' +
        'expire later than your token, or have a higher rate limit. Each request creates a new token, so list the tokens before you retry.',
      metadata: tokenMetadata({
        scope: 'admin',
        subject: 'new token',
        example: { name: 'web-shop', scopes: ['read'] },
        errors: ['exceeds_issuer'],
        replies: { 200: 'The token, with its secret' },
      }),
      query: NoQuerySchema,
      body: NewTokenSchema,
      responses: { 200: IssuedTokenSchema },
    },
    rotateToken: {
      ...routes.rotateToken,
      summary: 'Rotate token',
      description:
        'Creates a token with the name, scopes, and rate limit of an existing token. The existing token then expires. Your token must ' +
        'have every permission that the existing token has. Each request creates a new token, so list the tokens before you retry.',
      metadata: tokenMetadata({
        scope: 'admin',
        subject: 'rotation',
        example: { overlapSeconds: 86_400 },
        errors: ['exceeds_issuer', 'token_inactive'],
        replies: { 200: 'The new token, with its secret' },
      }),
      pathParams: z.object({ id: TokenIdSchema }),
      query: NoQuerySchema,
      body: TokenRotationSchema,
      responses: { 200: IssuedTokenSchema, 404: errorSchema(404) },
    },
    revokeToken: {
      ...routes.revokeToken,
      summary: 'Revoke token',
      description:
        'Permanently revokes a token. You can revoke your own token and tokens with broader permissions than yours. Within 5 seconds, ' +
        'all instances reject the token. Revoking it again has no effect.',
      metadata: tokenMetadata({
        scope: 'admin',
        replies: { 204: 'The token is revoked', 400: 'The ID or a parameter is not valid' },
      }),
      pathParams: z.object({ id: TokenIdSchema }),
      query: NoQuerySchema,
      responses: { 204: noBody, 404: errorSchema(404) },
    },
    listAudit: {
      ...routes.listAudit,
      summary: 'List audit entries',
      description:
        'Shows who created, rotated, revoked, or imported tokens, restored backups, or imported files from the command line, and when. ' +
        'The newest entries come first. To get the next page, pass `next` as `after`; the last page has no `next`. Entries ' +
        'never change and contain no secrets or plants.',
      metadata: tokenMetadata({
        scope: 'admin',
        example: { limit: 100, action: 'token_created' },
        replies: {
          200: 'A page of the audit log',
          400: 'A parameter is not valid',
          503: 'The service cannot read the audit log at the moment',
        },
      }),
      query: AuditQuerySchema,
      responses: { 200: AuditPageSchema },
    },
  },
  {
    strictStatusCodes: true,
    commonResponses: {
      400: errorSchema(400),
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
