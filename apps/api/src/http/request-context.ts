import type { AccessToken } from '../auth/access-token-store.js';

/** What the middleware learns about a request, for those that come after it. */
declare global {
  namespace Express {
    interface Request {
      /** Names the request in the reply and in the log. */
      id: string;
      /** Whether its target is none that the service takes. */
      invalidTarget?: boolean | undefined;
    }
    interface Locals {
      /** The access token that the request was made with, once verified. */
      accessToken?: AccessToken;
      /** The id of the plant, for the log; text, since log readers round large numbers. */
      plantId?: string;
      /** The number of the error that was answered. */
      error?: number;
    }
  }
}
