import { PlantStoreError } from './plant-store-error.js';

/**
 * A response that the API does not define: a proxy's error page, a status that the contract does not declare, or a body
 * of the wrong shape. Most often `baseUrl` is wrong, or something between client and service is down.
 *
 * `cause` is the `SyntaxError` when the body is not JSON.
 */
export class UnexpectedResponseError extends PlantStoreError {
  override get name(): 'UnexpectedResponseError' {
    return 'UnexpectedResponseError';
  }

  /** The HTTP status of the response; 0 for a redirect where the runtime hides its status. */
  readonly status: number;

  /** The first 200 characters of the body, for a log. */
  readonly bodyStart: string;

  /** Takes the reason why the response is unexpected, its status and its whole body. */
  constructor(reason: string, status: number, body: string, options?: { readonly cause?: unknown }) {
    // A proxy may respond like this after the service has carried out the request.
    super(`Unexpected response with status ${status}: ${reason}`, { ...options, outcome: 'unknown' });
    this.status = status;
    this.bodyStart = body.slice(0, 200);
  }
}

/** Whether a caught value is an `UnexpectedResponseError`. */
export function isUnexpectedResponseError(error: unknown): error is UnexpectedResponseError {
  return error instanceof UnexpectedResponseError;
}
