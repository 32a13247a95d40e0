/** An error's number and HTTP status. */
export interface ErrorDefinition {
  /** The value of the field `error`: the HTTP status times 100, plus a serial number. A published number never changes its meaning. */
  readonly error: number;
  readonly status: number;
}

/**
 * All errors of the service, by their stable names. Their meanings:
 * https://github.com/plant-store/plant-store/blob/HEAD/docs/use/api.md#errors
 *
 * The schemas, the OpenAPI document, the service, the client, and the documents derive from this table.
 */
export const errors = {
  bad_request: { error: 40000, status: 400 },
  malformed_json: { error: 40001, status: 400 },
  invalid_plant: { error: 40002, status: 400 },
  id_taken: { error: 40003, status: 400 },
  unsupported_content_type: { error: 40004, status: 400 },
  body_too_large: { error: 40005, status: 400 },
  batch_too_large: { error: 40006, status: 400 },
  id_retired: { error: 40007, status: 400 },
  precondition_required: { error: 40008, status: 400 },
  invalid_token_request: { error: 40009, status: 400 },
  token_inactive: { error: 40010, status: 400 },
  cursor_expired: { error: 40011, status: 400 },
  missing_token: { error: 40100, status: 401 },
  invalid_token: { error: 40101, status: 401 },
  insufficient_scope: { error: 40300, status: 403 },
  exceeds_issuer: { error: 40301, status: 403 },
  not_found: { error: 40400, status: 404 },
  plant_not_found: { error: 40401, status: 404 },
  token_not_found: { error: 40402, status: 404 },
  method_not_allowed: { error: 40500, status: 405 },
  precondition_failed: { error: 41200, status: 412 },
  rate_limited: { error: 42900, status: 429 },
  internal_error: { error: 50000, status: 500 },
  changes_unsupported: { error: 50100, status: 501 },
  overloaded: { error: 50300, status: 503 },
  database_unavailable: { error: 50301, status: 503 },
  shutting_down: { error: 50302, status: 503 },
  database_damaged: { error: 50303, status: 503 },
  identity_provider_unavailable: { error: 50304, status: 503 },
} as const satisfies Record<string, ErrorDefinition>;

/** The stable name of an error, such as `id_taken`. */
export type ErrorName = keyof typeof errors;

/** The number of an error by its name, such as `40003` for `id_taken`. Without a name, all numbers. */
export type ErrorNumber<Name extends ErrorName = ErrorName> = (typeof errors)[Name]['error'];

/** The names of the errors that are sent with a status, such as `rate_limited` for 429. */
export type ErrorNameOf<Status extends number> = {
  [Name in ErrorName]: (typeof errors)[Name]['status'] extends Status ? Name : never;
}[ErrorName];

/** The body of a reply that is not a success. */
export interface ErrorBody<Listed extends number = ErrorNumber> {
  /** What went wrong, as a number of the table `errors`. A later version of the service can send other numbers. */
  error: Listed;
  /** What went wrong, and what to do about it. The text is for people, so the wording can change. */
  message: string;
}

/** The error for one record of a batch. A separate request would have returned the same error. */
export interface FailedResult<Status extends number> {
  status: Status;
  error: ErrorNumber<ErrorNameOf<Status>>;
  message: string;
}
