/** What one error number stands for. */
export interface ErrorDefinition {
  /** The value of the field `error`: the HTTP status times 100, plus a serial number. */
  readonly error: number;
  /** The HTTP status it is sent with. */
  readonly status: number;
  /** When it is sent, and what the caller can do. One sentence, for documents. */
  readonly meaning: string;
  /** A message as the service writes it; the wording may change, the number never does. */
  readonly example: string;
}

/**
 * Every error that the service replies with, by its stable name.
 *
 * Plain data: the schema, the OpenAPI document, the service and the documents derive from this table.
 */
export const errors = {
  bad_request: {
    error: 40000,
    status: 400,
    meaning:
      'The request is not valid HTTP/1.1, or one of its parameters is not valid. Fix the client or the proxy in front of it.',
    example: 'The request is not valid HTTP: a header is malformed.',
  },
  malformed_json: {
    error: 40001,
    status: 400,
    meaning: 'The body is not JSON in UTF-8 (RFC 8259), or is ambiguous. Fix the body.',
    example: "The body is not valid JSON: Expected end of input but got '}' at position 27.",
  },
  invalid_plant: {
    error: 40002,
    status: 400,
    meaning:
      'The body is JSON but not a NewPlant, or not a batch of plants. The message names every invalid field.',
    example: 'The plant is not valid: id is required; name must be a string.',
  },
  id_taken: {
    error: 40003,
    status: 400,
    meaning: 'Another plant has this id. Nothing was changed; choose another id.',
    example: 'The id 9223372036854775807 belongs to another plant. Choose another id.',
  },
  unsupported_content_type: {
    error: 40004,
    status: 400,
    meaning: 'The body is not declared as plain application/json in UTF-8. Fix the request headers.',
    example: 'The content type is "text/plain". Send application/json in UTF-8, without a content coding.',
  },
  body_too_large: {
    error: 40005,
    status: 400,
    meaning: 'The body is larger than the service takes. The message names the limit in bytes.',
    example: 'The body is larger than 1048576 bytes. Send a smaller one.',
  },
  batch_too_large: {
    error: 40006,
    status: 400,
    meaning:
      'The batch has more plants than one request may have, or than the rate limit permits in a minute. Nothing was done; send smaller batches.',
    example: 'The batch has 1001 plants. Send at most 1000 in one request.',
  },
  id_retired: {
    error: 40007,
    status: 400,
    meaning:
      'The plant with this id was deleted. Nothing was changed; choose another id, or give it again by PUT with If-None-Match: *.',
    example:
      'The id 7 was that of a plant that was deleted. Choose another id, or give it again by PUT with If-None-Match: *.',
  },
  precondition_required: {
    error: 40008,
    status: 400,
    meaning:
      'The request has no condition. Send If-Match with the ETag of the plant to update, or If-None-Match: * to reuse the ID of a deleted plant.',
    example:
      'Send If-Match with the ETag that the plant had when you read or created it, or If-None-Match: * to reuse the ID of a deleted plant.',
  },
  invalid_token_request: {
    error: 40009,
    status: 400,
    meaning:
      'The body is JSON but not what a token is created or rotated by. The message names every invalid field.',
    example:
      'The new token is not valid: name is required; ratePerMinute must be an integer from 1 to 1000000000.',
  },
  token_ended: {
    error: 40010,
    status: 400,
    meaning:
      'The token to rotate was revoked, or has expired. Nothing was changed; create a new one instead.',
    example: 'The token 3 was revoked or has expired. Create a new one instead.',
  },
  cursor_expired: {
    error: 40011,
    status: 400,
    meaning:
      'This cursor is from before the plant store was restored. Discard your copy, and read everything again with after=0.',
    example:
      'This cursor is from before the plant store was restored. Discard your copy, and read everything again with after=0.',
  },
  missing_token: {
    error: 40100,
    status: 401,
    meaning: 'The request has no bearer token. Send Authorization: Bearer with an access token.',
    example: 'An access token is needed. Send it as Authorization: Bearer <ACCESS_TOKEN>.',
  },
  invalid_token: {
    error: 40101,
    status: 401,
    meaning:
      'The access token is malformed, unknown, expired or revoked, or is not for this service. Get a new one.',
    example: 'The access token has expired. Get a new one.',
  },
  insufficient_scope: {
    error: 40300,
    status: 403,
    meaning:
      'The access token is valid, but does not permit this operation. The message names the scope that is missing.',
    example: 'The access token does not have the scope delete. Request one that has it.',
  },
  beyond_own_token: {
    error: 40301,
    status: 403,
    meaning:
      'A token may give no more than it has itself: no other scopes, no later expiry, no higher rate. Nothing was changed; the message names what is too much.',
    example: 'The access token may not give the scope delete, which it does not have itself.',
  },
  not_found: {
    error: 40400,
    status: 404,
    meaning: 'Nothing is served under this path. Paths are compared exactly.',
    example: 'Nothing is served under /plant.',
  },
  plant_not_found: {
    error: 40401,
    status: 404,
    meaning: 'No plant has this id.',
    example: 'No plant has the id 7.',
  },
  token_not_found: {
    error: 40402,
    status: 404,
    meaning: 'No access token of the service has this id.',
    example: 'No access token has the id 7.',
  },
  method_not_allowed: {
    error: 40500,
    status: 405,
    meaning: 'The path exists, but not with this method. The header Allow names those that do.',
    example: 'PUT is not allowed on /plants. Use POST or GET or HEAD.',
  },
  precondition_failed: {
    error: 41200,
    status: 412,
    meaning:
      'A condition of the request is false: If-Match names another plant, because it has changed since, or If-None-Match names the plant that has the ID. Nothing was changed. Get the plant, and decide again.',
    example: 'The plant with the id 7 has changed since. Get it, and decide again.',
  },
  rate_limited: {
    error: 42900,
    status: 429,
    meaning:
      'Too many requests with this token, or too many from this address without a valid one. Wait for Retry-After, then retry.',
    example: 'Too many requests. Try again in 7 s.',
  },
  internal_error: {
    error: 50000,
    status: 500,
    meaning: 'An error of the service. Retrying is safe; report it with the header X-Request-Id.',
    example: 'An unexpected error occurred. Retrying the request is safe.',
  },
  changes_unsupported: {
    error: 50100,
    status: 501,
    meaning:
      'This plant store is distributed over several databases, which have no common order of changes. List plants instead.',
    example: 'This plant store is distributed over several databases, which have no common order of changes.',
  },
  overloaded: {
    error: 50300,
    status: 503,
    meaning:
      'More is waiting than the service holds, or than one token may have: plants to be stored, reads, bodies, or replies that are not read. Wait for Retry-After, then retry.',
    example: 'The service is overloaded. Try again in 1 second.',
  },
  database_unavailable: {
    error: 50301,
    status: 503,
    meaning: 'The database does not answer. Wait for Retry-After, then retry.',
    example: 'The database does not answer. Try again in 1 second.',
  },
  shutting_down: {
    error: 50302,
    status: 503,
    meaning: 'This instance is stopping. Retry the request on a new connection.',
    example: 'The service is shutting down. Try again in 1 second.',
  },
  database_damaged: {
    error: 50303,
    status: 503,
    meaning:
      'The database is damaged, and stores nothing until its operator has restored it. Until then, a retry does not help.',
    example: 'The database is damaged. Ask the operator to restore it.',
  },
  identity_provider_unavailable: {
    error: 50304,
    status: 503,
    meaning:
      'The key of a JSON Web Token is not known here, and the keys of the identity provider cannot be fetched. Wait for Retry-After, then retry.',
    example: 'The keys of the identity provider cannot be fetched. Try again in 10 s.',
  },
} as const satisfies Record<string, ErrorDefinition>;

/** The stable name of an error, such as `id_taken`. */
export type ErrorName = keyof typeof errors;

/** The numbers of the errors that are sent with a status, such as `42900` for 429; without one, all numbers. */
export type ErrorNumber<Status extends number = number> = Extract<
  (typeof errors)[ErrorName],
  { readonly status: Status }
>['error'];

/**
 * The body of a reply that is not a success. `error` is one of the numbers that this
 * version lists for the status; a service of another version may send others.
 */
export type ErrorBody<Status extends number = number> = { error: ErrorNumber<Status>; message: string };
