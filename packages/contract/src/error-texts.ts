import type { ErrorName } from './errors.js';
import { messagesOf } from './messages.js';
import { capitalize, errorNamesOf, fieldsOf, type Resource, withArticle } from './resource.js';
import { type ResourceName, resources } from './resources.js';

/** What documents say about an error. */
export interface ErrorTexts {
  /** When it is sent, and what the caller can do. */
  readonly meaning: string;
  /** A message as the service writes it. The wording may change. */
  readonly example: string;
}

/** The errors that each resource has of its own. */
type ResourceErrorName = `invalid_${ResourceName}` | `${ResourceName}_not_found`;

/** The texts of the errors about records of one resource. */
export function errorTextsOf(resource: Resource): Readonly<Record<string, ErrorTexts>> {
  const { name, plural } = resource;
  const { invalid, notFound } = errorNamesOf(resource);
  const [text = ''] = fieldsOf(resource).flatMap(([each, { kind }]) => (kind === 'text' ? each : []));
  return {
    [invalid]: {
      meaning: `The body is JSON but not ${withArticle(`New${capitalize(name)}`)}, or not a batch of ${plural}. The message names every invalid field.`,
      example: `The ${name} is not valid: id is required${text && `; ${text} must be a string`}.`,
    },
    [notFound]: { meaning: `No ${name} has this id.`, example: messagesOf(resource).notFound(7n) },
  };
}

const otherTexts: Readonly<Record<Exclude<ErrorName, ResourceErrorName>, ErrorTexts>> = {
  bad_request: {
    meaning:
      'The request is not valid HTTP/1.1, or one of its parameters is not valid. Fix the client or the proxy in front of it.',
    example: 'The request is not valid HTTP: a header is malformed.',
  },
  malformed_json: {
    meaning: 'The body is not JSON in UTF-8 (RFC 8259), or is ambiguous. Fix the body.',
    example: "The body is not valid JSON: Expected end of input but got '}' at position 27.",
  },
  id_taken: {
    meaning: 'Another plant has this id. Nothing was changed; choose another id.',
    example: 'The id 9223372036854775807 belongs to another plant. Choose another id.',
  },
  unsupported_content_type: {
    meaning: 'The body is not declared as plain application/json in UTF-8. Fix the request headers.',
    example: 'The content type is "text/plain". Send application/json in UTF-8, without a content coding.',
  },
  body_too_large: {
    meaning: 'The body is larger than the service takes. The message names the limit in bytes.',
    example: 'The body is larger than 1048576 bytes. Send a smaller one.',
  },
  batch_too_large: {
    meaning:
      'The batch has more plants than one request may have, or than the rate limit permits in a minute. Nothing was done; send smaller batches.',
    example: 'The batch has 1001 plants. Send at most 1000 in one request.',
  },
  id_retired: {
    meaning:
      'The plant with this id was deleted. Nothing was changed; choose another id, or give it again by PUT with If-None-Match: *.',
    example:
      'The id 7 was that of a plant that was deleted. Choose another id, or give it again by PUT with If-None-Match: *.',
  },
  precondition_required: {
    meaning:
      'The request has no condition. Send If-Match with the ETag of the plant to update, or If-None-Match: * to reuse the ID of a deleted plant.',
    example:
      'Send If-Match with the ETag that the plant had when you read or created it, or If-None-Match: * to reuse the ID of a deleted plant.',
  },
  invalid_token_request: {
    meaning:
      'The body is JSON but not what a token is created or rotated by. The message names every invalid field.',
    example:
      'The new token is not valid: name is required; ratePerMinute must be an integer from 1 to 1000000000.',
  },
  token_inactive: {
    meaning:
      'The token to rotate was revoked, or has expired. Nothing was changed; create a new one instead.',
    example: 'The token 3 was revoked or has expired. Create a new one instead.',
  },
  cursor_expired: {
    meaning:
      'This cursor is from before the plant store was restored. Discard your copy, and read everything again with after=0.',
    example:
      'This cursor is from before the plant store was restored. Discard your copy, and read everything again with after=0.',
  },
  missing_token: {
    meaning: 'The request has no bearer token. Send Authorization: Bearer with an access token.',
    example: 'An access token is needed. Send it as Authorization: Bearer <ACCESS_TOKEN>.',
  },
  invalid_token: {
    meaning:
      'The access token is malformed, unknown, expired or revoked, or is not for this service. Get a new one.',
    example: 'The access token has expired. Get a new one.',
  },
  insufficient_scope: {
    meaning:
      'The access token is valid, but does not permit this operation. The message names the scope that is missing.',
    example: 'The access token does not have the scope delete. Request one that has it.',
  },
  exceeds_issuer: {
    meaning:
      'A token may give no more than it has itself: no other scopes, no later expiry, no higher rate. Nothing was changed; the message names what is too much.',
    example: 'The access token may not give the scope delete, which it does not have itself.',
  },
  not_found: {
    meaning: 'Nothing is served under this path. Paths are compared exactly.',
    example: 'Nothing is served under /plant.',
  },
  token_not_found: {
    meaning: 'No access token of the service has this id.',
    example: 'No access token has the id 7.',
  },
  method_not_allowed: {
    meaning: 'The path exists, but not with this method. The header Allow names those that do.',
    example: 'PUT is not allowed on /plants. Use POST or GET or HEAD.',
  },
  precondition_failed: {
    meaning:
      'A condition of the request is false: If-Match names another plant, because it has changed since, or If-None-Match names the plant that has the ID. Nothing was changed. Get the plant, and decide again.',
    example: 'The plant with the id 7 has changed since. Get it, and decide again.',
  },
  rate_limited: {
    meaning:
      'Too many requests with this token, or too many from this address without a valid one. Wait for Retry-After, then retry.',
    example: 'Too many requests. Try again in 7 s.',
  },
  internal_error: {
    meaning: 'An error of the service. Retrying is safe; report it with the header X-Request-Id.',
    example: 'An unexpected error occurred. Retrying the request is safe.',
  },
  changes_unsupported: {
    meaning:
      'This plant store is distributed over several databases, which have no common order of changes. List plants instead.',
    example: 'This plant store is distributed over several databases, which have no common order of changes.',
  },
  overloaded: {
    meaning:
      'More is waiting than the service holds, or than one token may have: plants to be stored, reads, bodies, or replies that are not read. Wait for Retry-After, then retry.',
    example: 'The service is overloaded. Try again in 1 second.',
  },
  database_unavailable: {
    meaning: 'The database does not answer. Wait for Retry-After, then retry.',
    example: 'The database does not answer. Try again in 1 second.',
  },
  shutting_down: {
    meaning: 'This instance is stopping. Retry the request on a new connection.',
    example: 'The service is shutting down. Try again in 1 second.',
  },
  database_damaged: {
    meaning:
      'The database is damaged, and stores nothing until its operator has restored it. Until then, a retry does not help.',
    example: 'The database is damaged. Ask the operator to restore it.',
  },
  identity_provider_unavailable: {
    meaning:
      'The key of a JSON Web Token is not known here, and the keys of the identity provider cannot be fetched. Wait for Retry-After, then retry.',
    example: 'The keys of the identity provider cannot be fetched. Try again in 10 s.',
  },
};

/** The texts of each error. They are apart from the numbers, which every client loads. */
export const errorTexts = Object.assign(
  {},
  otherTexts,
  ...Object.values(resources).map(errorTextsOf),
) as Readonly<Record<ErrorName, ErrorTexts>>;
