import type { AccessToken } from '../auth/access-token-store.js';

/** What middleware finds out about a request, for the middleware after it. */
declare global {
  namespace Express {
    interface Request {
      /** Identifies the request in the reply and in the log. */
      id: string;
      /** Whether its target is not one that the service accepts. */
      invalidTarget?: boolean | undefined;
    }
    interface Locals {
      /** The access token of the request, once verified. */
      accessToken?: AccessToken;
      /** The subject of the JSON Web Token of the request, once verified; instead of `accessToken`. */
      subject?: string;
      /** The id of the plant, for the log; text, since log readers round large numbers. */
      plantId?: string;
      /** The route of the request, for metrics; instead of that which Express has matched. */
      route?: string;
      /** The number of the error in the reply. */
      error?: number;
    }
  }
}

/**
 * Names who calls, for limits by caller: the id of the access token, or the subject of the JSON Web Token, so that a new
 * token for the same subject has no limit of its own. Never the same for two callers.
 */
export function callerOf({ accessToken, subject }: Express.Locals): number | string {
  return accessToken?.id ?? `subject ${subject}`;
}
