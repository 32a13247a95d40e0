import { isPlantStoreError, PlantStoreError, type RequestSummary } from './plant-store-error.js';

/**
 * A response that the API does not define: a proxy's error page, a status that the API does not define, or a body
 * of the wrong shape. Most often `baseUrl` is wrong, or something between client and service is down. `unwrap` also throws it for a
 * 304, which has no body.
 *
 * `cause` is the `SyntaxError` if the body is not JSON, which may quote a few characters of it, or what `validate` threw.
 */
export class UnexpectedResponseError extends PlantStoreError {
  override get name(): 'UnexpectedResponseError' {
    return 'UnexpectedResponseError';
  }

  /** The HTTP status of the response; 0 for a redirect where the runtime hides its status. */
  declare readonly status: number;

  /** The first 200 characters of the body. They may show plants, so they are neither printed nor written as JSON. */
  declare readonly bodyStart: string;

  /** Takes the request with the status of its response, what is unexpected about the response, the cause, and the whole body. */
  constructor(request: RequestSummary, got: string, cause?: unknown, body = '') {
    super(request, got, cause);
    Object.defineProperty(this, 'bodyStart', { value: body.slice(0, 200) });
  }
}

/** Whether a caught value is an `UnexpectedResponseError`, also one of another copy of this package. */
export function isUnexpectedResponseError(error: unknown): error is UnexpectedResponseError {
  return isPlantStoreError(error) && error.name === 'UnexpectedResponseError';
}
