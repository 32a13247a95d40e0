import type { Scope } from './access-token.js';
import type { ErrorName } from './errors.js';
import { type BodySubject, subjectOf } from './messages.js';
import type { ScopeOf } from './resource.js';
import type { ResourceName, resources } from './resources.js';

export type RecordOperation =
  | 'create'
  | 'get'
  | 'list'
  | 'createMany'
  | 'getMany'
  | 'updateMany'
  | 'deleteMany'
  | 'update'
  | 'delete'
  | 'count'
  | 'changes'
  | 'history';

/** The metadata of an operation on records of one resource. Everything else is derived from it. */
interface MetadataOf<Name extends ResourceName> {
  readonly scope: ScopeOf<(typeof resources)[Name]['plural']>;
  readonly resource: Name;
  readonly operation: RecordOperation;
  /** The field whose values `count` counts. */
  readonly field?: string;
  /** The fields of the example body that differ from the examples of the definition. */
  readonly example?: object;
}

export type RecordMetadata = { [Name in ResourceName]: MetadataOf<Name> }[ResourceName];

export interface TokenMetadata {
  readonly scope: Scope | undefined;
  readonly resource?: undefined;
  readonly operation?: undefined;
  /** The name of its body in messages. */
  readonly subject?: 'new token' | 'rotation';
  /** The body or the query of the example request. */
  readonly example?: object;
  /** The errors that cannot be derived from its body, path, and statuses. */
  readonly errors?: readonly ErrorName[];
  /** The descriptions of the replies that other operations do not have, by status. */
  readonly replies: Readonly<Record<number, string>>;
}

export type Metadata = RecordMetadata | TokenMetadata;

/** An operation of the contract, without the types of ts-rest, which do not compile in every program. The schemas are those of zod. */
export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly metadata: Metadata;
  readonly summary?: string;
  readonly description?: string;
  readonly pathParams?: unknown;
  readonly query?: unknown;
  readonly headers?: unknown;
  readonly body?: unknown;
  readonly responses: Readonly<Record<number, unknown>>;
}

/** Returns metadata unchanged, with a type that has only its scope, so that the declarations of the contract stay short. */
export const tokenMetadata = <const Needed extends Scope | undefined>(
  metadata: TokenMetadata & { readonly scope: Needed },
): TokenMetadata & { readonly scope: Needed } => metadata;

export function subjectOfOperation(metadata: Metadata): BodySubject {
  const { resource, operation } = metadata;
  if (resource === undefined)
    return { noun: metadata.subject ?? 'request', errorName: 'invalid_token_request' };
  return subjectOf({ name: resource }, operation.endsWith('Many') ? 'batch' : resource);
}
