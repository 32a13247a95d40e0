import { isPlantStoreError, PlantStoreError, type RequestSummary } from './plant-store-error.js';

/**
 * A response that the API does not define, because of its status or the shape of its body, such as a proxy's error page. Most often
 * `baseUrl` is wrong, or something between the client and the service is down. `unwrap` also throws it for a 304, which has no body.
 *
 * `cause` is the error of `validate`, or a `SyntaxError` if the body is not JSON. Its message may quote a few characters of the body.
 */
export class UnexpectedResponseError extends PlantStoreError {
  override get name(): 'UnexpectedResponseError' {
    return 'UnexpectedResponseError';
  }

  /** The HTTP status of the response; 0 for a redirect where the runtime hides its status. */
  declare readonly status: number;

  /** The first 200 characters of the body. They can contain plants, so they are neither printed nor written as JSON. */
  declare readonly bodyStart: string;

  /**
   * @param request the request, with the status of the response
   * @param got what is unexpected about the response
   */
  constructor(request: RequestSummary, got: string, cause?: unknown, body = '') {
    super(request, got, cause);
    Object.defineProperty(this, 'bodyStart', { value: body.slice(0, 200) });
  }
}

/** Whether a caught value is an `UnexpectedResponseError`, including one from another copy of this package. */
export function isUnexpectedResponseError(error: unknown): error is UnexpectedResponseError {
  return isPlantStoreError(error) && error.name === 'UnexpectedResponseError';
}
