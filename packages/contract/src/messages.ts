import type { ErrorName } from './errors.js';
import { INT64_MAX, INT64_MIN } from './int64.js';
import { MAX_RECORDS, MAX_TOKENS } from './limits.js';
import { capitalize, errorNamesOf, type Resource, withArticle } from './resource.js';
import { shorten } from './shorten.js';

// For code that does not load the schemas.
export { MAX_OVERLAP_SECONDS, MAX_RATE_PER_MINUTE, MAX_TOKENS, QUERY_MAX_LENGTHS } from './limits.js';
// In a separate module, so that the web page can load it without the messages.
export { shorten } from './shorten.js';

/** The error messages that both the service and the client's fake plant store send. Long quotes from a request are shortened. */
export const messages = {
  invalidPath: 'The path is not valid: it must be percent-encoded UTF-8.',
  malformedJson: (problem: string) => `The body is not valid JSON: ${problem}.`,
  invalidIfMatch:
    'The request is not valid: the if-match header must be an ETag from a reply, including its double quotes, or *.',
  invalidItemIfMatch:
    'The ifMatch value of this item must be an ETag from a reply or a result, including its double quotes, or *.',
  invalidCursor:
    'The query parameter after is not a cursor from this list. Pass the next value of a page unchanged, and do not change parameters other than limit, total, and fields. To start over, omit after.',
  cursorExpired:
    'This cursor expired when the plant store was restored. Discard your copy of the data, and read everything again with after=0.',
  changesUnsupported:
    'This plant store is distributed across several databases, so it cannot list changes in order.',
  invalidChangeCursor:
    'The query parameter after is not a cursor from the list of changes. Pass the next value of a page unchanged, or 0 to read everything.',
  missingContentType: unsupported('The request has no content type'),
  unsupportedContentType: (type: string) => unsupported(`The content type is "${shorten(type, 100)}"`),
  unsupportedContentCoding: (coding: string) =>
    unsupported(`The Content-Encoding is "${shorten(coding, 100)}"`),
  bodyTooLarge: (limitBytes: number) => `The body is larger than ${limitBytes} bytes. Send a smaller one.`,
  missingToken: 'The request has no access token. Send one as Authorization: Bearer <ACCESS_TOKEN>.',
  malformedToken:
    'The access token is incomplete or mistyped. Send the whole token: pst_ followed by 49 characters.',
  missingScope: (scope: string) =>
    `The access token lacks the scope ${scope}. Use a token that has this scope.`,
  tokenNotFound: (id: bigint) => `There is no access token ${id}.`,
  tokenInactive: (id: bigint) => `The token ${id} was revoked or has expired. Create a new one instead.`,
  tooManyTokens: `There are already ${MAX_TOKENS} valid access tokens, so you cannot create more over HTTP. Revoke unused tokens.`,
  scopeExceedsIssuer: (scope: string) =>
    `Your access token cannot grant the scope ${scope}, because it lacks that scope.`,
  expiryExceedsIssuer: (expiresAt: string) =>
    `The new access token cannot expire later than yours, which expires at ${expiresAt}.`,
  rateExceedsIssuer: (ratePerMinute: number) =>
    `The new access token cannot have a higher rate limit than yours, which is ${ratePerMinute} requests per minute.`,
  unknownToken: 'The access token is unknown. Ask the operator for a new one.',
  notFound: (path: string) => `There is nothing at ${shorten(path, 200)}.`,
  methodNotAllowed: (method: string, path: string, allowed: readonly string[]) =>
    `${method} is not allowed on ${shorten(path, 200)}. Use ${allowed.join(' or ')}.`,
} as const;

/** Returns the error messages about a resource's records that both the service and the client's fake plant store send. */
export function messagesOf({ name, plural }: Pick<Resource, 'name' | 'plural'>) {
  const aRecord = withArticle(name);
  return {
    idTaken: (id: bigint) =>
      `${capitalize(name)} ${id} already exists with different values. Choose another ID.`,
    idRetired: (id: bigint) =>
      `${capitalize(name)} ${id} was deleted. Choose another ID, or reuse this one by sending a PUT request with If-None-Match: *.`,
    notFound: (id: bigint) => `There is no ${name} ${id}.`,
    /** For a request to reuse the ID of a deleted record, if no record ever had it. */
    idNeverUsed: (id: bigint) => `${capitalize(name)} ${id} never existed. Create it with POST /${plural}.`,
    invalidIdText: `The ID must be an integer from ${INT64_MIN} to ${INT64_MAX} sent as a string without a plus sign or leading zeros, like the idText of ${aRecord}.`,
    preconditionRequired: `Send If-Match with the ETag that the ${name} had when you read or created it, or If-None-Match: * to reuse the ID of a deleted ${name}.`,
    itemIfMatchRequired: `Send ifMatch with the ETag that the ${name} had when you read or created it, or * to match any state.`,
    changed: (id: bigint) =>
      `${capitalize(name)} ${id} has changed since you read it. Get it again, then decide whether to retry.`,
    excluded: (id: bigint) =>
      `${capitalize(name)} ${id} matches the ETag in If-None-Match. Get it again, then decide whether to retry.`,
    exists: (id: bigint) =>
      `${capitalize(name)} ${id} already exists, perhaps from an earlier attempt. Get it and compare the values. Then update it with If-Match, or choose another ID.`,
    batchTooLarge: (count: number) =>
      `The batch contains ${count} ${plural}. Send at most ${MAX_RECORDS} in one request.`,
    batchBeyondRateLimit: (count: number, requestsPerMinute: number) =>
      `The batch contains ${count} ${plural}, but this token is limited to ${requestsPerMinute} requests per minute. Send at most ${requestsPerMinute} in one request.`,
    listTooLong: (next: string) =>
      `The search took too long and has not found any ${plural} yet. Narrow the search, for example by time, or continue with after=${next}.`,
    replyIsFull: `The reply reached its size limit. Send this ID again in another request.`,
  } as const;
}

function unsupported(problem: string): string {
  return `${problem}. Send application/json in UTF-8, without a Content-Encoding.`;
}

interface Issue {
  readonly message: string;
  readonly path?: readonly unknown[] | undefined;
  /** The names of unknown members, if the issue is about them. */
  readonly keys?: readonly string[] | undefined;
}

/** The validation issues in each part of a request. A part without issues can be absent. */
export type RequestIssues = {
  readonly [Part in 'path' | 'query' | 'headers' | 'body']?: readonly Issue[] | undefined;
};

/** What a body describes, and the error for an invalid body. */
export interface BodySubject {
  /** A noun for the body, such as `plant` or `batch`. */
  readonly noun: string;
  readonly errorName: ErrorName;
}

export interface InvalidRequest {
  readonly errorName: ErrorName;
  readonly message: string;
}

/** Returns the subject of a request body that is a record or a batch. */
export const subjectOf = (resource: Pick<Resource, 'name'>, noun: string = resource.name): BodySubject => ({
  noun,
  errorName: errorNamesOf(resource).invalid,
});

/**
 * Returns the error for a request that fails validation. The message names every issue. If an issue is not in the body, it also names the
 * part of the request.
 */
export function explainInvalid(
  { path, query, headers, body }: RequestIssues,
  { noun, errorName }: BodySubject,
): InvalidRequest {
  const parameters = [
    formatPart(path, (name) => `the path parameter ${name}`),
    formatPart(query, (name) => `the query parameter ${name}`),
    formatPart(headers, (name) => `the ${name} header`),
  ].filter((text) => text !== '');
  if (parameters.length === 0) {
    // The value can also be an item of a batch or a line of a file, so the message does not mention a request.
    const issues = formatPart(body, (field) => (field === '' ? 'it' : field));
    return { errorName, message: `The ${noun} is not valid: ${issues}.` };
  }
  const inBody = formatPart(body, (field) => (field === '' ? 'the body' : `the body field ${field}`));
  const all = inBody === '' ? parameters : [...parameters, inBody];
  return { errorName: 'bad_request', message: `The request is not valid: ${all.join('; ')}.` };
}

/** Lists the issues in one part of a request, each after the name of its value. */
function formatPart(issues: readonly Issue[] = [], nameOf: (field: string) => string): string {
  return issues
    .map(({ message, path = [], keys: [unknownMember] = [] }) => {
      const name = unknownMember === undefined ? path.map(String).join('.') : shorten(unknownMember);
      return `${nameOf(name)} ${message}`;
    })
    .join('; ');
}
