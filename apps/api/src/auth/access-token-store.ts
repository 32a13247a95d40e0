/** An access token as it is stored: everything but the token itself. */
export interface AccessToken {
  readonly id: number;
  readonly name: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

/** An access token with what proves it, the SHA-256 of its text in hexadecimal: what moves to another store. */
export type HashedAccessToken = Omit<AccessToken, 'id'> & { readonly hash: string };

/** Where access tokens are kept, whatever the engine. Every method may throw `database_unavailable`. */
export interface AccessTokenStore {
  /** Stores a token under the SHA-256 of its text, in hexadecimal. */
  add(token: {
    readonly name: string;
    readonly hash: string;
    readonly expiresAt: Date | null;
  }): Promise<AccessToken>;
  findByHash(hash: string): Promise<AccessToken | null>;
  /** All tokens, the revoked and expired ones too, in the order of their ids. */
  list(): Promise<readonly AccessToken[]>;
  /** Marks a token as revoked, once: a second call keeps the first time. Gives `null` when there is no such id. */
  revoke(id: number, at: Date): Promise<AccessToken | null>;
  /** All tokens with their hashes, in the order of their ids. */
  listHashed(): Promise<readonly HashedAccessToken[]>;
  /**
   * Takes over a token of another store, under an id of its own. One whose hash is there stays as it is, but is revoked
   * if the other is.
   *
   * @returns whether it was new
   */
  takeOver(token: HashedAccessToken): Promise<boolean>;
}
