import type { Scope } from '@plant-store/contract/access-token';
import type { ResourceName } from '@plant-store/contract/resources';
import { type AccessToken, type ServiceError } from '@plant-store/records';

/** What middleware stores about a request for the middleware after it. */
declare global {
  namespace Express {
    interface Request {
      /** Identifies the request in the reply and in the log. */
      id: string;
      /** Whether the service rejects the request target. */
      invalidTarget?: boolean | undefined;
    }
    interface Locals {
      accessToken?: AccessToken;
      /** The subject of the JSON Web Token of the request, once verified; instead of `accessToken`. */
      subject?: string;
      /** When the JSON Web Token is no longer accepted, in milliseconds since the epoch. */
      acceptedUntil?: number;
      /** The scopes of the access token or JSON Web Token. */
      scopes?: readonly Scope[];
      /** The log field for the ID of the record. It is text, because log readers round large numbers. */
      loggedId?: Readonly<Partial<Record<`${ResourceName}Id`, string>>>;
      /** How many records of a batch had each outcome: `stored`, `replayed`, `found`, `updated`, `deleted`, or the name of an error. */
      outcomes?: Readonly<Record<string, number>>;
      /** Whether the request is read-only, regardless of its method. */
      readsOnly?: boolean;
      entityTag?: string;
      /** The route of the request, for metrics; overrides the route that Express matched. */
      route?: string;
      /** How many bytes the request holds; `undefined` before any are counted. */
      heldBytes?: number;
      /** How many tasks of the request are running. They continue if the client disconnects. */
      runningTasks?: number;
      error?: ServiceError;
      /** Whether an earlier request had already stored the record. Set once a create has succeeded. */
      replayed?: boolean;
    }
  }
}
