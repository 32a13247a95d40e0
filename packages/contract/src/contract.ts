import { initContract } from '@ts-rest/core';
import * as z from 'zod';
import { ofTokens } from './metadata.js';
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

/** No body, as a zod type, so that the declarations of the contract need no types of ts-rest. */
const noBody = c.noBody() as unknown as z.ZodType<undefined>;

/** An update with either of two headers, or both: with a union, the types of ts-rest would make a caller choose. */
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
 * The service implements this router, and the client is typed by it. `metadata` says what an operation needs and does. `replies.ts` derives
 * the descriptions and the errors of its replies, and `openapi-examples.ts` an example of its request.
 */
const router = c.router(
  {
    createPlant: {
      ...routes.createPlant,
      summary: 'Create plant',
      description:
        'Creates a new plant in the store. The id is also the key of the request: the same plant again is ' +
        'answered 200 again and stored once, so a create can always be retried safely. The `ETag` of the reply is that of the plant ' +
        'as it was created: send it as `If-Match` to update the plant without reading it first.',
      metadata: { scope: 'create', resource: 'plant', operation: 'create' } as const,
      query: NoQuerySchema,
      body: plants.create,
      responses: { 200: plants.fields },
    },
    getPlant: {
      ...routes.getPlant,
      summary: 'Get plant',
      description:
        'The plant with this id. What it shows is durable: neither a crash nor a failover takes it back.',
      metadata: { scope: 'read', resource: 'plant', operation: 'get' } as const,
      pathParams: z.object({ id: plants.id }),
      query: NoQuerySchema,
      // It also accepts conditions. They are not declared, because some generated clients would then require the headers.
      responses: { 200: plants.stored, 304: noBody, 404: errorSchema(404), 412: errorSchema(412) },
    },
    listPlants: {
      ...routes.listPlants,
      summary: 'List plants',
      description:
        'A page of the plants, and `next`, with which the following page is requested; the last page has none. A page has as many ' +
        'plants as the query asks for, unless the list ends, or they have more than 4 MiB of text, or it takes too long to find them (`partial`). ' +
        'No plant is on two pages, and none that was there from the beginning is left out; one that is added meanwhile may be ' +
        'on a later page. What it shows is durable.',
      metadata: { scope: 'read', resource: 'plant', operation: 'list' } as const,
      query: plants.query,
      responses: { 200: plants.page },
    },
    createPlants: {
      ...routes.createPlants,
      summary: 'Create plants',
      description:
        'Creates up to 1,000 plants. Each has a result of its own, in the order sent: 200 once it is stored, durably, otherwise ' +
        'the number and the message that a request of its own would have been answered with. One that is not stored, such as one ' +
        'that is not valid, stops none of the others: the reply is 200 all the same. Any part of a batch can be retried safely. ' +
        'The `etag` of a result is that of the plant as it was created.',
      metadata: { scope: 'create', resource: 'plant', operation: 'createMany' } as const,
      query: NoQuerySchema,
      body: plants.batch,
      responses: { 200: plants.createResults },
    },
    getPlants: {
      ...routes.getPlants,
      summary: 'Get plants',
      description:
        'The plants with up to 1,000 ids. Each id has a result of its own, in the order sent: 200 with the plant, otherwise the ' +
        'number and the message that a request of its own would have been answered with. The `etag` of a result is what an update ' +
        'or a delete takes as its condition. What it shows is durable. A reply has at most ' +
        ' 4 MiB of text, or one plant: ids that are left over have the status 503, and are to be sent again.',
      metadata: { scope: 'read', resource: 'plant', operation: 'getMany' } as const,
      query: NoQuerySchema,
      body: plants.ids,
      responses: { 200: plants.getResults },
    },
    updatePlants: {
      ...routes.updatePlants,
      summary: 'Update plants',
      description:
        'Replaces the name and the tag of up to 1,000 plants, each if it is still the one whose `ETag` is its `ifMatch`. Each has a ' +
        'result of its own, in the order sent: 200 with the plant and its new `etag`, durably, otherwise the number and the message ' +
        'that a `PUT` with this `If-Match` would have been answered with. One that is not updated stops none of the others. Several ' +
        'items of one id act one after the other. A plant that is already as sent is 200, so any part of a batch can be retried ' +
        'safely. A reply has at most 4 MiB of text, or one plant: items that are left over have the status 503, change nothing, and ' +
        'are to be sent again.',
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
        'Deletes the plants with up to 1,000 ids. Each id has a result of its own, in the order sent: 204 once its plant is deleted, ' +
        'durably, or if it was deleted before; otherwise the number and the message that a request of its own would have been ' +
        'answered with. One that is not deleted stops none of the others. Any part of a batch can be retried safely. With `ifMatch` ' +
        'each plant is deleted only if it is still the one with the `ETag` at the same place there.',
      metadata: { scope: 'delete', resource: 'plant', operation: 'deleteMany' } as const,
      query: NoQuerySchema,
      body: plants.deletions,
      responses: { 200: plants.deleteResults },
    },
    updatePlant: {
      ...routes.updatePlant,
      summary: 'Update plant',
      description:
        'Replaces the name and the tag of the plant with this id, durably, if it is still the one whose `ETag` is sent as ' +
        '`If-Match`. A retry of the create is answered as before, and reverts nothing. A plant that is already as sent is answered ' +
        '200, so an update can be retried. `If-None-Match: *` reuses the ID of a deleted plant for a new one. **A request needs ' +
        '`If-Match` or `If-None-Match`, which OpenAPI cannot express**: without both it is answered 400. Both accept an `ETag` that ' +
        'a proxy has changed, such as `W/"…"` or `"…-gzip"`.',
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
        'What the plant with this id is, and what it was, the latest state first. The first one is the current state and has no ' +
        '`until`. To restore an earlier state, update the plant to it. A delete erases all states, and a plant with a reused ID starts again. ' +
        'The operator may limit for how long replaced states are kept. Only a page without `next` is the last one.',
      metadata: { scope: 'read', resource: 'plant', operation: 'history' } as const,
      pathParams: z.object({ id: plants.id }),
      query: HistoryQuerySchema,
      responses: { 200: plants.history, 404: errorSchema(404) },
    },
    deletePlant: {
      ...routes.deletePlant,
      summary: 'Delete plant',
      description:
        'Deletes the plant with this id, durably: its name and tag are erased, and its id stays taken, so that no late ' +
        'retry brings it back. A plant that was deleted before is answered 204 again. With `If-Match` it is deleted only if it is still ' +
        'the one with that `ETag`, with `If-None-Match` only if it is another one.',
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
        'How many plants have each tag, in the order of the tags, up to 10,000 of them on a page. Plants without a tag are not counted.',
      metadata: { scope: 'read', resource: 'plant', operation: 'count', field: 'tag' } as const,
      query: TagQuerySchema,
      responses: { 200: TagPageSchema },
    },
    listChanges: {
      ...routes.listChanges,
      summary: 'List changes',
      description:
        'What was created, updated and deleted, in one order that never changes, and `next`, with which the following page is ' +
        'requested, at any time. Each plant is listed once, at the place of its last change: whoever follows gets the latest ' +
        'state of each plant, and never an older one after it. What it shows is durable. With `wait` the reply waits until ' +
        'there is a change.',
      metadata: { scope: 'read', resource: 'plant', operation: 'changes' } as const,
      query: ChangeQuerySchema,
      responses: { 200: plants.changePage, 501: errorSchema(501) },
    },
    getOwnToken: {
      ...routes.getOwnToken,
      summary: 'Get own token',
      description:
        'What the token of the request permits, and until when. It needs no scope: a program that was given a token finds out what ' +
        'it may do before it tries.',
      metadata: ofTokens({
        // Any valid token may read its own scopes.
        scope: undefined,
        replies: {
          200: 'The token, without its text',
          503: 'The service cannot look tokens up at the moment',
        },
      }),
      query: NoQuerySchema,
      responses: { 200: OwnTokenSchema },
    },
    listTokens: {
      ...routes.listTokens,
      summary: 'List tokens',
      description:
        'All access tokens of the service that are valid, and the latest 1,000 that were revoked or have expired, in the order of their ids, without their texts. No token is created or rotated over HTTP while 1,000 are valid.',
      metadata: ofTokens({ scope: 'admin', replies: { 200: 'The tokens' } }),
      query: NoQuerySchema,
      responses: { 200: TokenListSchema },
    },
    createToken: {
      ...routes.createToken,
      summary: 'Create token',
      description:
        'Creates an access token, and shows its text, this once. It may give no more than the token of the request has: no other ' +
        'scopes, no later expiry, no higher rate. Each request creates one, so it must not be retried without a look at the list.',
      metadata: ofTokens({
        scope: 'admin',
        subject: 'new token',
        example: { name: 'web-shop', scopes: ['read'] },
        errors: ['exceeds_issuer'],
        replies: { 200: 'The token, with its text' },
      }),
      query: NoQuerySchema,
      body: NewTokenSchema,
      responses: { 200: IssuedTokenSchema },
    },
    rotateToken: {
      ...routes.rotateToken,
      summary: 'Rotate token',
      description:
        'Creates a token that replaces another one, with its name, scopes and rate, and makes the other one expire. The token of ' +
        'the request must have all that the other one has. Like a create it must not be retried without a look at the list.',
      metadata: ofTokens({
        scope: 'admin',
        subject: 'rotation',
        example: { overlapSeconds: 86_400 },
        errors: ['exceeds_issuer', 'token_inactive'],
        replies: { 200: 'The new token, with its text' },
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
        'Revokes a token for good, also the token of the request itself: within 5 seconds no instance accepts it any more. It may ' +
        'permit what the token of the request does not. One that is revoked already stays so.',
      metadata: ofTokens({
        scope: 'admin',
        replies: { 204: 'It is revoked', 400: 'The id, or a parameter, is not valid' },
      }),
      pathParams: z.object({ id: TokenIdSchema }),
      query: NoQuerySchema,
      responses: { 204: noBody, 404: errorSchema(404) },
    },
    listAudit: {
      ...routes.listAudit,
      summary: 'List audit',
      description:
        'Who created, rotated and revoked tokens, restored a backup, or imported a file by the command line, and when: the newest ' +
        'first, and `next`, with which the following page is requested; the last page has none. An entry never changes. It has no ' +
        'text of a token, and nothing of a plant.',
      metadata: ofTokens({
        scope: 'admin',
        example: { limit: 100, action: 'token_created' },
        replies: {
          200: 'A page of the audit',
          400: 'A parameter is not valid',
          503: 'The service cannot read the audit at the moment',
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
