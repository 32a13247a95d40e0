import type { ErrorName } from './errors.js';
import { INT64_MAX } from './int64.js';
import { MAX_RECORDS } from './limits.js';
import { messages, messagesOf } from './messages.js';
import { capitalize, errorNamesOf, fieldsOf, type Resource, withArticle } from './resource.js';
import { type ResourceName, resources } from './resources.js';

export interface ErrorTexts {
  /** When the error is sent, and what the caller can do. */
  readonly meaning: string;
  /** A message that the service sends. The wording can change. */
  readonly example: string;
}

/** Returns the texts of the errors that each resource has. */
export function errorTextsOf(resource: Resource): Readonly<Record<string, ErrorTexts>> {
  const { name, plural } = resource;
  const { invalid, notFound } = errorNamesOf(resource);
  const [textField = ''] = fieldsOf(resource).flatMap(([field, { kind }]) => (kind === 'text' ? field : []));
  return {
    [invalid]: {
      meaning: `The body is neither ${withArticle(`New${capitalize(name)}`)} nor a batch of ${plural}. The message lists every invalid field.`,
      example: `The ${name} is not valid: id is required${textField && `; ${textField} must be a string`}.`,
    },
    [notFound]: { meaning: `There is no ${name} with this ID.`, example: messagesOf(resource).notFound(7n) },
  };
}

type OtherErrorName = Exclude<ErrorName, `invalid_${ResourceName}` | `${ResourceName}_not_found`>;

const meanings: Readonly<Record<OtherErrorName, string>> = {
  bad_request:
    'The HTTP/1.1 request is malformed, or a parameter is invalid. Fix the client, or any proxy between the client and the service.',
  malformed_json: 'The body is not UTF-8-encoded JSON (RFC 8259), or the JSON is ambiguous.',
  id_taken: 'Another plant has this ID. Choose another ID.',
  unsupported_content_type:
    'The Content-Type is not application/json in UTF-8, or the request has a Content-Encoding.',
  body_too_large: 'The body is too large. The message states the limit in bytes.',
  batch_too_large:
    'The batch contains more plants than a single request or the per-minute rate limit allows. Send smaller batches.',
  id_retired:
    'The plant with this ID was deleted. Choose another ID, or reuse this one by sending a PUT request with If-None-Match: *.',
  precondition_required:
    'To update a plant, send If-Match with its ETag. To reuse the ID of a deleted plant, send If-None-Match: *.',
  invalid_token_request:
    'The body is not a valid request to create or rotate a token. The message lists every invalid field.',
  token_inactive: 'The token to rotate was revoked or has expired. Create a new one.',
  cursor_expired: messages.cursorExpired,
  missing_token: 'The access token is missing. Send it in an Authorization: Bearer header.',
  invalid_token:
    'The access token is malformed, unknown, expired, revoked, or not intended for this service. Get a new one.',
  insufficient_scope: 'The access token does not permit this operation. The message names the missing scope.',
  exceeds_issuer:
    'The new token would have more scopes, a later expiration time, or a higher rate limit than your token. The message specifies which.',
  not_found: 'There is nothing at this path. Paths must match exactly.',
  token_not_found: 'There is no access token with this ID.',
  method_not_allowed: 'The path does not support this method. The Allow header lists the supported methods.',
  precondition_failed:
    'The plant no longer matches the ETag in If-Match, or it matches If-None-Match. Get the plant, then decide whether to retry.',
  rate_limited:
    'This token made too many requests, or this address sent too many invalid tokens. Wait the number of seconds in Retry-After, then retry.',
  internal_error:
    'Something went wrong on the server. You can retry the request. If the error recurs, report it with its X-Request-Id.',
  changes_unsupported:
    'A plant store distributed across several databases cannot list changes in order. List plants instead.',
  overloaded:
    'Too many writes, reads, request bodies, or unread replies are pending, either for this token or in total. Wait the number of seconds in Retry-After, then retry.',
  database_unavailable:
    'The database is not responding. Wait the number of seconds in Retry-After, then retry.',
  shutting_down: 'This instance is stopping. Retry on a new connection.',
  database_damaged: 'The database is damaged. Do not retry until the operator restores it.',
  identity_provider_unavailable:
    'The service cannot fetch keys from the identity provider. Wait the number of seconds in Retry-After, then retry.',
};

const plantMessages = messagesOf(resources.plant);

const examples: Readonly<Record<OtherErrorName, string>> = {
  bad_request: 'The request is not valid HTTP (HPE_INVALID_HEADER_TOKEN).',
  malformed_json: messages.malformedJson("Expected end of input but got '}' at position 27"),
  id_taken: plantMessages.idTaken(INT64_MAX),
  unsupported_content_type: messages.unsupportedContentType('text/plain'),
  body_too_large: messages.bodyTooLarge(1_048_576),
  batch_too_large: plantMessages.batchTooLarge(MAX_RECORDS + 1),
  id_retired: plantMessages.idRetired(7n),
  precondition_required: plantMessages.preconditionRequired,
  invalid_token_request:
    'The new token is not valid: name is required; ratePerMinute must be an integer from 1 to 1000000000.',
  token_inactive: messages.tokenInactive(3n),
  cursor_expired: messages.cursorExpired,
  missing_token: messages.missingToken,
  invalid_token: 'The access token has expired. Get a new one.',
  insufficient_scope: messages.missingScope('delete'),
  exceeds_issuer: messages.scopeExceedsIssuer('delete'),
  not_found: messages.notFound('/plant'),
  token_not_found: messages.tokenNotFound(7n),
  method_not_allowed: messages.methodNotAllowed('PUT', '/plants', ['POST', 'GET', 'HEAD']),
  precondition_failed: plantMessages.changed(7n),
  rate_limited: 'Too many requests. Try again in 7 seconds.',
  internal_error: 'An unexpected error occurred. Retrying the request is safe.',
  changes_unsupported: messages.changesUnsupported,
  overloaded: 'The service is overloaded. Try again in 1 second.',
  database_unavailable: 'The database is not responding. Try again in 1 second.',
  shutting_down: 'The service is shutting down. Try again in 1 second.',
  database_damaged: 'The database is damaged. Ask the operator to restore it.',
  identity_provider_unavailable:
    'The service cannot fetch keys from the identity provider. Try again in 10 seconds.',
};

/** The texts of all errors. They are not in `errors`, because every client loads that table. */
export const errorTexts = Object.fromEntries([
  ...Object.entries(examples).map(([name, example]) => [
    name,
    { meaning: meanings[name as OtherErrorName], example },
  ]),
  ...Object.values(resources).flatMap((resource) => Object.entries(errorTextsOf(resource))),
]) as Readonly<Record<ErrorName, ErrorTexts>>;
