import type { Scope } from '@plant-store/contract/access-token';

/** An access token as it is stored, without its text. */
export interface AccessToken {
  readonly id: number;
  readonly name: string;
  /** What it permits. */
  readonly scopes: readonly Scope[];
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  /** When it was last used, stored at most once an hour; `null` if it never was, or not since version 1.1. */
  readonly lastUsedAt: Date | null;
}

/** When an access token was used. */
export interface TokenUse {
  readonly id: number;
  readonly at: Date;
}

/** An access token with the SHA-256 of its text in hexadecimal, as it is moved to another store. */
export type HashedAccessToken = Omit<AccessToken, 'id'> & { readonly hash: string };

/** A store of access tokens, on any database engine. Every method may throw `database_unavailable`. */
export interface AccessTokenStore {
  /** Stores a token under the SHA-256 of its text, in hexadecimal. */
  add(token: {
    readonly name: string;
    readonly hash: string;
    readonly scopes: readonly Scope[];
    readonly expiresAt: Date | null;
  }): Promise<AccessToken>;
  findByHash(hash: string): Promise<AccessToken | null>;
  /** All tokens, including revoked and expired ones, in the order of their ids. */
  list(): Promise<readonly AccessToken[]>;
  /** Marks a token as revoked; a second call keeps the first time. Returns `null` when there is no such id. */
  revoke(id: number, at: Date): Promise<AccessToken | null>;
  /**
   * Makes a token expire at a time, unless it expires earlier or was revoked. Returns `null` when there is no such id.
   */
  expire(id: number, at: Date): Promise<AccessToken | null>;
  /**
   * Stores when tokens were used; a later time that is stored already stays. Unlike other writes, a crash may lose it, and
   * it does not wait for the disk.
   */
  recordUses(uses: readonly TokenUse[]): Promise<void>;
  /** All tokens with their hashes, in the order of their ids. */
  listHashed(): Promise<readonly HashedAccessToken[]>;
  /**
   * Imports a token of another store under a new id. If its hash exists already, that token is kept, and revoked if the
   * imported one is; of the times of their last use, the later one stays.
   *
   * @returns whether it was new
   */
  takeOver(token: HashedAccessToken): Promise<boolean>;
}
