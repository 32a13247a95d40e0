import type { ErrorBody, ErrorNumber } from '@plant-store/contract/errors';
import type {
  AuditQuery,
  ChangeQuery,
  HistoryQuery,
  IdParams,
  NewPlantInput,
  NewPlants,
  NewToken,
  Operations,
  Plant,
  PlantDeletions,
  PlantIds,
  PlantQuery,
  PlantUpdates,
  Precondition,
  TagQuery,
  TokenRotation,
} from '@plant-store/contract/operations';
import type { NetworkError } from './errors/network-error.js';
import type { TimeoutError } from './errors/timeout-error.js';
import type { UnexpectedResponseError } from './errors/unexpected-response-error.js';
import type { CallOptions } from './options.js';
import type { Reply } from './read-reply.js';
import type { RejectionOf, SuccessStatus } from './unwrap.js';

/** A client of Plant Store, with one function per operation. A function resolves to a reply, whatever its status. */
export interface Client {
  /** The URL of the service: absolute, without a trailing slash. A copy such as `{ ...client }` has only the operations. */
  readonly baseUrl: string;

  /**
   * Creates a client with other options, which override those of this client. `headers` are added. This client does not change.
   *
   * @throws {TypeError} when `baseUrl` or `token` is not valid
   */
  withOptions(options: CallOptions): Client;

  // Printed from the contract: pnpm --filter @plant-store/client run print-client

  /** Creates a plant. Creating the same plant again returns 200 with `replayed: true`, so you can always retry a create. */
  createPlant(request: { readonly body: NewPlantInput } & CallOptions): Promise<ReplyOf<'createPlant'>>;

  /** Gets a plant conditionally. With the `etag` of an earlier reply in `if-none-match`, the status is 304 if it has not changed. */
  getPlant(
    request: { readonly params: IdParams; readonly headers: ReadCondition } & CallOptions,
  ): Promise<ReplyOf<'getPlant'> | ConditionReply>;
  /** Gets a plant. */
  getPlant(request: { readonly params: IdParams } & CallOptions): Promise<ReplyOf<'getPlant'>>;

  /** Lists plants, one page per call. `listAll` requests all pages. */
  listPlants(request?: { readonly query?: PlantQuery } & CallOptions): Promise<ReplyOf<'listPlants'>>;

  /** Creates up to 1,000 plants. Each has its own result, in the order sent. `storeAll` takes any number. */
  createPlants(request: { readonly body: NewPlants } & CallOptions): Promise<ReplyOf<'createPlants'>>;

  /** Gets up to 1,000 plants. Each has its own result, in the order sent. `getAll` takes any number. */
  getPlants(request: { readonly body: PlantIds } & CallOptions): Promise<ReplyOf<'getPlants'>>;

  /** Replaces all fields of up to 1,000 plants, each only if it still has the `ETag` in its `ifMatch`. Each has its own result, in the order sent. `updateAll` takes any number. */
  updatePlants(request: { readonly body: PlantUpdates } & CallOptions): Promise<ReplyOf<'updatePlants'>>;

  /** Deletes up to 1,000 plants. With `ifMatch`, deletes only those that have not changed. Each has its own result, in the order sent. `deleteAll` takes any number. */
  deletePlants(request: { readonly body: PlantDeletions } & CallOptions): Promise<ReplyOf<'deletePlants'>>;

  /** Replaces all fields of a plant conditionally. If the condition is false, the status is 412. `saveEdit` changes single fields. */
  updatePlant(
    request: { readonly params: IdParams; readonly body: Plant } & Condition & CallOptions,
  ): Promise<ReplyOf<'updatePlant'>>;

  /** Gets the current and earlier states of a plant, the latest first, one page per call. */
  getPlantHistory(
    request: { readonly params: IdParams; readonly query?: HistoryQuery } & CallOptions,
  ): Promise<ReplyOf<'getPlantHistory'>>;

  /** Deletes a plant. With `ifMatch`, deletes it only if it has not changed. Also succeeds if the plant was deleted before. */
  deletePlant(
    request: { readonly params: IdParams; readonly ifMatch?: Pick<Reply, 'etag'> | undefined } & CallOptions,
  ): Promise<ReplyOf<'deletePlant'>>;

  /** Counts the plants of each tag, one page per call. `countTags` adds up all pages. */
  listTags(request?: { readonly query?: TagQuery } & CallOptions): Promise<ReplyOf<'listTags'>>;

  /** Lists creates, updates, and deletes, one page per call. `followChanges` continues with later changes. */
  listChanges(request?: { readonly query?: ChangeQuery } & CallOptions): Promise<ReplyOf<'listChanges'>>;
  // End of what is printed

  /** Gets the scopes, expiry, and rate limit of this client's token. */
  getOwnToken(request?: CallOptions): Promise<ReplyOf<'getOwnToken'>>;

  /** Lists the access tokens of the service. */
  listTokens(request?: CallOptions): Promise<ReplyOf<'listTokens'>>;

  /** Creates an access token. A call makes one attempt, because each request creates a token. If no reply comes, check `listTokens`. */
  createToken(request: { readonly body: NewToken } & CallOptions): Promise<ReplyOf<'createToken'>>;

  /** Replaces an access token with a new one. A call makes one attempt, because each request creates a token. */
  rotateToken(
    request: { readonly params: IdParams; readonly body: TokenRotation } & CallOptions,
  ): Promise<ReplyOf<'rotateToken'>>;

  /** Revokes an access token. */
  revokeToken(request: { readonly params: IdParams } & CallOptions): Promise<ReplyOf<'revokeToken'>>;

  /** Lists the audit log of access tokens, restored backups, and imported files, the newest entries first, one page per call. */
  listAudit(request?: { readonly query?: AuditQuery } & CallOptions): Promise<ReplyOf<'listAudit'>>;
}

/** The condition that the plant has not changed since an earlier reply. */
export interface IfMatch {
  /**
   * The reply to a get, a create, or an update of the plant, or an edit. Its `ETag` takes precedence over `headers`. If there is no `ETag`,
   * the call rejects with a `TypeError` and sends nothing.
   */
  readonly ifMatch: Pick<Reply, 'etag'>;
}

/** A condition as a header, such as `{ 'if-none-match': '*' }` to restore a deleted plant. */
export interface HeaderCondition {
  readonly headers: Precondition;
  readonly ifMatch?: undefined;
}

// Declared last, so that the compiler's message names `ifMatch` if both are missing.
/** The condition of an update. */
export type Condition = HeaderCondition | IfMatch;

/** The condition of a get as a header: the plant has changed (`if-none-match`), or it has not (`if-match`). */
export type ReadCondition =
  | { readonly 'if-none-match': string; readonly 'if-match'?: string }
  | { readonly 'if-match': string; readonly 'if-none-match'?: string };

/** The replies to a get whose condition is false. */
export type ConditionReply =
  | Reply<304, undefined>
  | Reply<412, ErrorBody<ErrorNumber<'precondition_failed'>>>;

/** The name of an operation, such as `getPlant`. */
export type OperationName = keyof Operations;

/** The request of an operation, such as `{ body: { id, name, tag? } }`, with the options of the call. */
export type RequestOf<Name extends OperationName> = NonNullable<Parameters<Client[Name]>[0]>;

/** The replies of an operation: a union that narrows by `status`. */
export type ReplyOf<Name extends OperationName> = RepliesOf<Operations[Name]>;

/** The body of a successful reply, such as the plant: what `unwrap` returns. */
export type BodyOf<Name extends OperationName> = Extract<
  ReplyOf<Name>,
  { readonly status: SuccessStatus }
>['body'];

/**
 * The errors that a call of an operation, or `unwrap` of its reply, can throw. They narrow by `name`. Rejections by the service,
 * `Extract<ErrorOf<Name>, { name: 'RejectedError' }>`, also narrow by `error` and by `status`.
 *
 * The union does not include errors of your program: a `RangeError` for a `number` that is not exact, and the errors of your functions,
 * such as a `TokenSource`.
 */
export type ErrorOf<Name extends OperationName> =
  | RejectionOf<Extract<ReplyOf<Name>['body'], { readonly error: ErrorNumber }>['error']>
  | NetworkError
  | TimeoutError
  | UnexpectedResponseError;

/** The replies of an operation, derived from its bodies by status. */
export type RepliesOf<Operation extends { readonly responses: object }> = {
  [Status in keyof Operation['responses'] & number]: Reply<Status, Operation['responses'][Status]>;
}[keyof Operation['responses'] & number];
