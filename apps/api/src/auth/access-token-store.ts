/** An access token as it is stored, without its text. */
export interface AccessToken {
  readonly id: number;
  readonly name: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

/** An access token with the SHA-256 of its text in hexadecimal, as it is moved to another store. */
export type HashedAccessToken = Omit<AccessToken, 'id'> & { readonly hash: string };

/** A store of access tokens, on any database engine. Every method may throw `database_unavailable`. */
export interface AccessTokenStore {
  /** Stores a token under the SHA-256 of its text, in hexadecimal. */
  add(token: {
    readonly name: string;
    readonly hash: string;
    readonly expiresAt: Date | null;
  }): Promise<AccessToken>;
  findByHash(hash: string): Promise<AccessToken | null>;
  /** All tokens, including revoked and expired ones, in the order of their ids. */
  list(): Promise<readonly AccessToken[]>;
  /** Marks a token as revoked; a second call keeps the first time. Returns `null` when there is no such id. */
  revoke(id: number, at: Date): Promise<AccessToken | null>;
  /** All tokens with their hashes, in the order of their ids. */
  listHashed(): Promise<readonly HashedAccessToken[]>;
  /**
   * Imports a token of another store under a new id. If its hash exists already, that token is kept, and revoked if the
   * imported one is.
   *
   * @returns whether it was new
   */
  takeOver(token: HashedAccessToken): Promise<boolean>;
}
