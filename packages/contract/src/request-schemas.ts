import * as z from 'zod';
import type { RequestPart, RequestParts, SchemaName } from './operation.js';
import { definitions } from './operations.js';
import { createQuerySchema, schemas } from './schemas.js';

/** The schemas of the parts of a request. A part without a schema is not read, but every operation has one of its query. */
export type RequestSchemas = {
  readonly [Part in keyof RequestParts]: Part extends 'body' ? z.ZodType : z.ZodObject;
};

/** What the service reads of the requests of each operation. The contract and the fake plant store validate by it. */
export const requestSchemas = Object.fromEntries(
  Object.entries(definitions).map(([name, { request }]) => [
    name,
    Object.fromEntries([
      ['query', createQuerySchema({})],
      ...Object.entries(request).map(([part, named]) => [part, schemaOf(named)]),
    ]),
  ]),
  // Entry by entry what the type below derives in the same way.
) as { readonly [Name in keyof typeof definitions]: SchemasOf<(typeof definitions)[Name]['request']> };

function schemaOf(named: RequestPart): z.ZodType {
  if (typeof named === 'string') return schemas[named];
  return z.object(Object.fromEntries(Object.entries(named).map(([member, name]) => [member, schemas[name]])));
}

type SchemasOf<Request> = { readonly [Part in keyof Request]: SchemaOf<Request[Part]> };

type SchemaOf<Named> = Named extends SchemaName
  ? (typeof schemas)[Named]
  : z.ZodObject<{ -readonly [Member in keyof Named]: SchemaOf<Named[Member]> }>;
