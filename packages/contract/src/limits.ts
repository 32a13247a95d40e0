export const MAX_RECORDS = 1_000;

/** The maximum rate limit of a token, in requests per minute. */
export const MAX_RATE_PER_MINUTE = 1_000_000_000;

/** The maximum length of the name of a token that is created over HTTP, in Unicode code points. */
export const TOKEN_NAME_MAX_LENGTH = 100;

/**
 * The maximum number of valid tokens for a create over HTTP. A list has all valid tokens, and up to this many of the latest tokens that
 * were revoked or have expired.
 */
export const MAX_TOKENS = 1_000;

/** How long a token and its replacement may both work, in seconds: 365 days. */
export const MAX_OVERLAP_SECONDS = 31_536_000;

/** The maximum wait of a request for changes, in seconds: less than the timeout of common proxies. */
export const MAX_WAIT_SECONDS = 25;

/** The maximum lengths of the texts in the query of a list, in Unicode code points. */
export const QUERY_MAX_LENGTHS = { after: 1_000, tag: 1_000, q: 100 } as const;

export const MAX_FILTER_VALUES = 20;
