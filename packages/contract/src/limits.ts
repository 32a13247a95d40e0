/** The maximum number of records on a page or in a batch. */
export const MAX_RECORDS = 1_000;

/** The maximum rate limit of a token, in requests per minute. */
export const MAX_RATE_PER_MINUTE = 1_000_000_000;

/** The maximum length of the name of a token that is created over HTTP, in Unicode code points. */
export const TOKEN_NAME_MAX_LENGTH = 100;

/**
 * The maximum number of valid tokens: while there are this many, the API does not create more. A token list has all valid tokens, and up to
 * this many revoked or expired tokens, the latest ones.
 */
export const MAX_TOKENS = 1_000;

/** How long a token and its replacement may both work, in seconds: 365 days. */
export const MAX_OVERLAP_SECONDS = 31_536_000;

/** The maximum time that a request waits for changes, in seconds. It is shorter than the timeouts of common proxies. */
export const MAX_WAIT_SECONDS = 25;

/** The maximum lengths of a list's text parameters, in Unicode code points. */
export const QUERY_MAX_LENGTHS = { after: 1_000, tag: 1_000, q: 100 } as const;

/** The maximum number of values for one filter of a list. */
export const MAX_FILTER_VALUES = 20;
