import type { Scope } from './access-token.js';
import type { FailedResult } from './errors.js';

/** Which part of the plants a page of tags counts. */
export interface TagQuery {
  /** The `next` of the page before. */
  after?: string | undefined;
}

/** A tag, and how many plants have it. */
export interface TagCount {
  tag: string;
  plants: number;
}

/** How many plants have each tag, in the order of the tags. */
export interface TagPage {
  tags: TagCount[];
  /** Where the next page begins. The last page has none. */
  next?: string | undefined;
}

/**
 * What must be true for an update: the plant still has the `ETag` of an earlier reply, or the plant was deleted and you reuse its ID.
 */
export type Precondition =
  | { readonly 'if-match': string; readonly 'if-none-match'?: never }
  | { readonly 'if-none-match': '*'; readonly 'if-match'?: never };

/** Which changes a page has. */
export interface ChangeQuery {
  /** How many changes a page has at most, from 1 to 1,000. Default: 100. */
  limit?: number | undefined;
  /** The `next` of the page before, or `0` for all that is stored. Default: now, so that only later changes come. */
  after?: string | undefined;
  /** How long the reply waits for a change if there is none, in seconds, up to 25. Default: 0. */
  wait?: number | undefined;
}

/** Which states of a record a page has. */
export interface HistoryQuery {
  /** How many states a page has at most, from 1 to 1,000. Default: 100. */
  limit?: number | undefined;
  /** The `next` of the page before. Default: begin with the current state. */
  after?: string | undefined;
}

/** The token of a request. An access token of the service has an ID and a name, a JSON Web Token has a subject. */
export interface OwnToken {
  id?: bigint | undefined;
  name?: string | undefined;
  /** Whom a JSON Web Token was issued for. */
  subject?: string | undefined;
  /** What the token permits. */
  scopes: Scope[];
  /** When the token expires (ISO 8601, in UTC), if it does. */
  expiresAt?: string | undefined;
  /** How many requests it may make in a minute. Without it, the limit for all tokens applies. */
  ratePerMinute?: number | undefined;
}

/** An access token of the service, without its secret. Times are in ISO 8601, in UTC. */
export interface Token {
  id: bigint;
  /** Who or what the token is for. */
  name: string;
  /** What the token permits. */
  scopes: Scope[];
  createdAt: string;
  expiresAt?: string | undefined;
  revokedAt?: string | undefined;
  /** When the token was last used, to the hour. */
  lastUsedAt?: string | undefined;
  /** How many requests it may make in a minute. Without it, the limit for all tokens applies. */
  ratePerMinute?: number | undefined;
}

/** Access tokens in the order of their IDs: all valid ones, and the latest 1,000 that were revoked or have expired. */
export interface TokenList {
  tokens: Token[];
}

/** A token to create. It may permit no more than the token that creates it. */
export interface NewToken {
  /** Who or what the token is for. */
  name: string;
  /** What the token permits. */
  scopes: Scope[];
  /** When it expires (ISO 8601, in UTC). Default: when the token that creates it expires. */
  expiresAt?: string | undefined;
  /** How many requests it may make in a minute. Default: as many as the token that creates it. */
  ratePerMinute?: number | undefined;
}

/** How a token is replaced. */
export interface TokenRotation {
  /** How long the old token continues to work at most, in seconds. 0 revokes it. */
  overlapSeconds: number;
  /**
   * When the new token expires (ISO 8601, in UTC), which is never after the token that replaces it. Default: after the time that the old
   * one was issued for.
   */
  expiresAt?: string | undefined;
}

/** A new token. */
export interface IssuedToken extends Token {
  /** The text of the token. It is shown only once. */
  secret: string;
}

/** What the audit records: tokens, backups that were restored, and files that the command line imported. */
export type AuditAction =
  | 'token_created'
  | 'token_rotated'
  | 'token_revoked'
  | 'token_imported'
  | 'restored'
  | 'imported';

/** Which part of the audit a page has. */
export interface AuditQuery {
  /** How many entries a page has at most, from 1 to 1,000. Default: 100. */
  limit?: number | undefined;
  /** The `next` of the page before. */
  after?: string | undefined;
  /** Only entries of this action. */
  action?: AuditAction | undefined;
}

/** Who did something: an access token by its ID, a JSON Web Token by its subject, or a user at the command line. */
export interface AuditActor {
  id?: bigint | undefined;
  /** The name that the access token had then. */
  name?: string | undefined;
  /** Whom a JSON Web Token was issued for. */
  subject?: string | undefined;
  /** The user of the operating system who ran a command. */
  user?: string | undefined;
}

/** A token as it was then, without its secret. */
export interface AuditedToken {
  id: bigint;
  name: string;
  /** What the token permits. */
  scopes: Scope[];
  /** When the token expires (ISO 8601, in UTC), if it does. */
  expiresAt?: string | undefined;
  /** How many requests it may make in a minute. Without it, the limit for all tokens applies. */
  ratePerMinute?: number | undefined;
}

/** A backup that was restored. */
export interface RestoredBackup {
  /** The name of its file or object. */
  name: string;
  /** When it was made (ISO 8601, in UTC). */
  madeAt: string;
  /** The store that it was made of, if it had an ID. */
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
  /** How many records were there already. */
  alreadyThere: number;
  /** How many lines were rejected. */
  bad: number;
  /** Whether the import came to the end of the file. */
  complete: boolean;
}

/** Something that was done, and by whom. It never changes. */
export interface AuditEntry {
  /** Its number. A later entry has a larger one. */
  number: number;
  /** When it happened (ISO 8601, in UTC). */
  at: string;
  by: AuditActor;
  action: AuditAction;
  /** The token that was created, rotated, revoked, or imported. After a rotation it is the new one. */
  token?: AuditedToken | undefined;
  /** The token that was replaced in a rotation. */
  replaced?: { id: bigint; name: string } | undefined;
  /** The backup that was restored. */
  backup?: RestoredBackup | undefined;
  /** The file that was imported. */
  file?: ImportedFile | undefined;
}

/** A page of the audit, the newest entries first. */
export interface AuditPage {
  entries: AuditEntry[];
  /** Where the next page begins. The last page has none. */
  next?: string | undefined;
}

/** A record of a batch was stored. */
export interface CreatedResult {
  status: 200;
  /** Whether the same record was stored before. */
  replayed: boolean;
  /** The `ETag` of the record as it was created. It is out of date if the record has changed since. */
  etag: string;
}

/** The condition of an update in a batch. */
export interface ItemCondition {
  /** The `ETag` that the record must still have, from a reply or a result, or `*` to update whatever is there. */
  ifMatch: string;
}

/** A record of a batch was deleted, now or before. */
export interface DeletedResult {
  status: 204;
}

/** The outcome of one record of a batch: what a separate request would have returned. */
export type CreateResult = CreatedResult | FailedResult<400 | 500 | 503>;
export type DeleteResult = DeletedResult | FailedResult<400 | 404 | 412 | 500 | 503>;

/** The outcomes of a batch, in the order of its records. */
export interface CreateResults {
  results: CreateResult[];
}
export interface DeleteResults {
  results: DeleteResult[];
}

/** The ID of a plant or a token in a path. */
export interface IdParams {
  /** Beyond 2^53 only a `bigint` is exact. */
  id: number | bigint;
}
