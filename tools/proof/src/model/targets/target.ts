import type { StoredPlant } from '../../databases/database.js';

/** What a caller sees of a reply; two plant stores must not differ in it. */
export interface Observation {
  readonly status: number;
  /** The text of the body, without the message of `invalid_token`, which the fake has only one of. */
  readonly body: string;
  readonly replayed: boolean;
}

/** Something that stores plants as the API promises. */
export interface Target {
  readonly name: string;
  /**
   * Sends a create.
   *
   * @param token the name of an access token; without one the request has none
   */
  send(body: string, token: string | undefined): Promise<Observation>;
  /** Ends it by a signal and starts it again on the same plants. */
  restart(signal: NodeJS.Signals): Promise<void>;
  /** Issues an access token under a name, which no other has. */
  issueToken(name: string): Promise<void>;
  /** Makes a token invalid, and resolves once it is rejected, with the milliseconds that this took. */
  revokeToken(name: string): Promise<number>;
  /** Issues a token that expires by itself, and resolves once it is rejected. */
  expireToken(name: string): Promise<void>;
  /** All plants that it holds. */
  readPlants(): Promise<ReadonlyMap<bigint, StoredPlant>>;
  stop(): Promise<void>;
}

/** Reads what a caller sees of a reply. */
export async function observe(response: Response): Promise<Observation> {
  const text = await response.text();
  return {
    status: response.status,
    body: text.replace(/^(\{"error":40101,"message":).*$/, '$1…'),
    replayed: response.headers.get('idempotent-replayed') === 'true',
  };
}

/** The request that a create is. */
export function composeRequest(body: string, token: string | undefined) {
  return {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body,
  };
}
