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

/** The metadata for an operation on one resource's records. The contract derives the rest of the operation from this metadata. */
interface MetadataOf<Name extends ResourceName> {
  readonly scope: ScopeOf<(typeof resources)[Name]['plural']>;
  readonly resource: Name;
  readonly operation: RecordOperation;
  /** The field whose values the operation `count` counts. */
  readonly field?: string;
  /** The fields of the example body that differ from the examples in the resource definition. */
  readonly example?: object;
}

export type RecordMetadata = { [Name in ResourceName]: MetadataOf<Name> }[ResourceName];

/** The metadata for an operation on access tokens. */
export interface TokenMetadata {
  readonly scope: Scope | undefined;
  readonly resource?: undefined;
  readonly operation?: undefined;
  /** What messages call the request body. Default: `request`. */
  readonly subject?: 'new token' | 'rotation';
  /** The body or query of the example request. */
  readonly example?: object;
  /** The errors that cannot be derived from the operation's body, path, and statuses. */
  readonly errors?: readonly ErrorName[];
  /** Descriptions of the replies that are specific to the operation, by status. */
  readonly replies: Readonly<Record<number, string>>;
}

export type Metadata = RecordMetadata | TokenMetadata;

/**
 * An operation in the contract. This type replaces the ts-rest types, which do not compile in every program. The members of type `unknown`
 * are zod schemas.
 */
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

/** Returns metadata unchanged. The result's type is exact only for the scope, so that the contract's type declarations stay short. */
export const tokenMetadata = <const Needed extends Scope | undefined>(
  metadata: TokenMetadata & { readonly scope: Needed },
): TokenMetadata & { readonly scope: Needed } => metadata;

/** Returns what messages call the request body, and the error for an invalid one. */
export function subjectOfOperation(metadata: Metadata): BodySubject {
  const { resource, operation } = metadata;
  if (resource === undefined)
    return { noun: metadata.subject ?? 'request', errorName: 'invalid_token_request' };
  return subjectOf({ name: resource }, operation.endsWith('Many') ? 'batch' : resource);
}
