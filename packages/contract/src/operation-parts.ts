import type { Scope } from './access-token.js';
import type { FailedResult } from './errors.js';

/** The query for a page of tags. */
export interface TagQuery {
  /** The `next` of the previous page. */
  after?: string | undefined;
}

/** A tag, and how many plants have it. */
export interface TagCount {
  tag: string;
  plants: number;
}

/** A page of tags, in order, with the number of plants for each tag. */
export interface TagPage {
  tags: TagCount[];
  /** The cursor for the next page. Pass it as `after`. The last page has none. */
  next?: string | undefined;
}

/** The condition of an update: the plant still has the `ETag` of an earlier reply, or it was deleted and you reuse its ID. */
export type Precondition =
  | { readonly 'if-match': string; readonly 'if-none-match'?: never }
  | { readonly 'if-none-match': '*'; readonly 'if-match'?: never };

/** The query for a page of changes. */
export interface ChangeQuery {
  /** The maximum number of changes on a page, from 1 to 1,000. Default: 100. */
  limit?: number | undefined;
  /** The `next` of the previous page, or `0` for everything that is stored. Default: only later changes. */
  after?: string | undefined;
  /** How long to wait for a change if there is none, in seconds, up to 25. Default: 0. */
  wait?: number | undefined;
}

/** The query for a page of a record's states. */
export interface HistoryQuery {
  /** The maximum number of states on a page, from 1 to 1,000. Default: 100. */
  limit?: number | undefined;
  /** The `next` of the previous page. Default: start with the current state. */
  after?: string | undefined;
}

/** The token that authenticated a request. An access token has an ID and a name; a JSON Web Token has a subject. */
export interface OwnToken {
  id?: bigint | undefined;
  name?: string | undefined;
  /** The subject of a JSON Web Token. */
  subject?: string | undefined;
  /** The scopes of the token. */
  scopes: Scope[];
  /** When the token expires (ISO 8601, in UTC). Without it, the token does not expire. */
  expiresAt?: string | undefined;
  /** The maximum requests per minute. Without it, the limit for all tokens applies. */
  ratePerMinute?: number | undefined;
}

/** An access token of the service, without its secret. Times are in ISO 8601, in UTC. */
export interface Token {
  id: bigint;
  /** Who or what the token is for. */
  name: string;
  /** The scopes of the token. */
  scopes: Scope[];
  createdAt: string;
  expiresAt?: string | undefined;
  revokedAt?: string | undefined;
  /** When the token was last used, to the hour. */
  lastUsedAt?: string | undefined;
  /** The maximum requests per minute. Without it, the limit for all tokens applies. */
  ratePerMinute?: number | undefined;
}

/** Access tokens, ordered by ID: all valid ones, and the latest 1,000 that were revoked or have expired. */
export interface TokenList {
  tokens: Token[];
}

/** A token to create. It cannot permit more than the token that creates it. */
export interface NewToken {
  /** Who or what the token is for. */
  name: string;
  /** The scopes of the token. */
  scopes: Scope[];
  /** When the token expires (ISO 8601, in UTC). Default: when the token that creates it expires. */
  expiresAt?: string | undefined;
  /** The maximum requests per minute. Default: the limit of the token that creates it. */
  ratePerMinute?: number | undefined;
}

/** Options for rotating a token. */
export interface TokenRotation {
  /** The maximum time that the old token continues to work, in seconds. 0 revokes it immediately. */
  overlapSeconds: number;
  /**
   * When the new token expires (ISO 8601, in UTC). It cannot expire later than the token of the request. Default: it has the same lifetime
   * as the old token.
   */
  expiresAt?: string | undefined;
}

/** A new token, with its secret. */
export interface IssuedToken extends Token {
  /** The token itself, which requests send. It is shown only once. */
  secret: string;
}

/** The actions in the audit log: changes of tokens, restored backups, and files that the command line imported. */
export type AuditAction =
  | 'token_created'
  | 'token_rotated'
  | 'token_revoked'
  | 'token_imported'
  | 'restored'
  | 'imported';

/** The query for a page of the audit log. */
export interface AuditQuery {
  /** The maximum number of entries on a page, from 1 to 1,000. Default: 100. */
  limit?: number | undefined;
  /** The `next` of the previous page. */
  after?: string | undefined;
  /** Only entries with this action. */
  action?: AuditAction | undefined;
}

/** Who did something: an access token by its ID, a JSON Web Token by its subject, or a user at the command line. */
export interface AuditActor {
  id?: bigint | undefined;
  /** The name of the access token at that time. */
  name?: string | undefined;
  /** The subject of a JSON Web Token. */
  subject?: string | undefined;
  /** The user of the operating system who ran a command. */
  user?: string | undefined;
}

/** A token as it was at that time, without its secret. */
export type AuditedToken = Pick<Token, 'id' | 'name' | 'scopes' | 'expiresAt' | 'ratePerMinute'>;

/** A backup that was restored. */
export interface RestoredBackup {
  /** The name of the file or object. */
  name: string;
  /** When the backup was made (ISO 8601, in UTC). */
  madeAt: string;
  /** The ID of the backed-up store, if it had one. */
  storeId?: string | undefined;
}

/** A file that was imported, and the outcome for its lines. */
export interface ImportedFile {
  /** The name of the file. Standard input has none. */
  name?: string | undefined;
  /** The resources whose lines were imported. */
  resources: string[];
  /** How many records were stored. */
  imported: number;
  /** How many records already existed. */
  alreadyThere: number;
  /** How many lines were rejected. */
  bad: number;
  /** Whether the import reached the end of the file. */
  complete: boolean;
}

/** A recorded action, and who did it. Entries never change. */
export interface AuditEntry {
  /** The entry number. Later entries have larger numbers. */
  number: number;
  /** When the action happened (ISO 8601, in UTC). */
  at: string;
  by: AuditActor;
  action: AuditAction;
  /** The token that was created, rotated, revoked, or imported. For a rotation, the new token. */
  token?: AuditedToken | undefined;
  /** The token that a rotation replaced. */
  replaced?: { id: bigint; name: string } | undefined;
  /** The backup that was restored. */
  backup?: RestoredBackup | undefined;
  /** The file that was imported. */
  file?: ImportedFile | undefined;
}

/** A page of the audit log, the newest entries first. */
export interface AuditPage {
  entries: AuditEntry[];
  /** The cursor for the next page. Pass it as `after`. The last page has none. */
  next?: string | undefined;
}

/** A result in a batch: the record is stored. */
export interface CreatedResult {
  status: 200;
  /** Whether an earlier request stored the same record. */
  replayed: boolean;
  /** The `ETag` of the record as it was created. It is out of date if the record has changed since. */
  etag: string;
}

/** The condition of an update in a batch. */
export interface ItemCondition {
  /** The `ETag` that the record must still have, from a reply or a result. `*` matches any record. */
  ifMatch: string;
}

/** A result in a batch: the record was deleted, now or earlier. */
export interface DeletedResult {
  status: 204;
}

/** The outcome for one record of a batch, the same as for a separate request. */
export type CreateResult = CreatedResult | FailedResult<400 | 500 | 503>;

/** The outcome for one deletion of a batch, the same as for a separate request. */
export type DeleteResult = DeletedResult | FailedResult<400 | 404 | 412 | 500 | 503>;

/** The outcomes of a batch, in the order of its records. */
export interface CreateResults {
  results: CreateResult[];
}

/** The outcomes of a batch, in the order of its IDs. */
export interface DeleteResults {
  results: DeleteResult[];
}

/** The ID of a plant or a token in a path. */
export interface IdParams {
  /** Beyond 2^53 only a `bigint` is exact. */
  id: number | bigint;
}
