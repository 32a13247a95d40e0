import type { Plant } from '@plant-store/contract/operations';
import type { Route } from '@plant-store/contract/routes';

/** A request of an operation. */
export interface Request {
  readonly method: Route['method'];
  /** With the query. */
  readonly path: string;
  readonly body?: string;
}

/** What a caller sees of a reply; two plant stores must not differ in it, but for times. */
export interface Observation {
  readonly status: number;
  /** The text of the body, without the message of `invalid_token`, which the fake has only one of. */
  readonly body: string;
  readonly replayed: boolean;
}

/** How a request is interrupted. */
export interface Interruption {
  readonly signal: NodeJS.Signals;
  /** When the signal is sent, after the request. */
  readonly delayMs: number;
}

/** Something that stores plants as the API promises. */
export interface Target {
  readonly name: string;
  /**
   * Sends a request.
   *
   * @param token the name of an access token; without one the request has none
   */
  send(request: Request, token: string | undefined): Promise<Observation>;
  /** Sends a request, and restarts while it is in flight; `undefined` if there is no reply, or one that leaves open what is stored. */
  interrupt(request: Request, interruption: Interruption): Promise<Observation | undefined>;
  /** Ends it by a signal and starts it again on the same plants. */
  restart(signal: NodeJS.Signals): Promise<void>;
  /** Issues an access token under a name, which no other has. */
  issueToken(name: string): Promise<void>;
  /** Makes a token invalid, and resolves once it is rejected, with the milliseconds that this took. */
  revokeToken(name: string): Promise<number>;
  /** Issues a token that expires by itself, and resolves once it is rejected. */
  expireToken(name: string): Promise<void>;
  /** All plants that it holds. */
  readPlants(): Promise<ReadonlyMap<bigint, Plant>>;
  /** The ids of all plants that were deleted, if they can be read. */
  readRetired?(): Promise<ReadonlySet<bigint>>;
  stop(): Promise<void>;
}

/** Reads what a caller sees of a reply. */
export async function observe(response: Response): Promise<Observation> {
  const text = await response.text();
  return {
    status: response.status,
    body: text.replace(/^(\{"error":40101,"message":").*"\}$/, '$1…"}'),
    replayed: response.headers.get('idempotent-replayed') === 'true',
  };
}

/** A request as `fetch` takes it. */
export function composeRequest({ method, body }: Request, token: string | undefined) {
  return {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    ...(body !== undefined && { body }),
  };
}
