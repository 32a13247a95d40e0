/** The most records that a page of a list, or a batch, may have. */
export const MAX_RECORDS = 1_000;

/** The most requests a minute that a token may be limited to. */
export const MAX_RATE_PER_MINUTE = 1_000_000_000;

/** The most characters, which are Unicode code points, of the name of a token that is created over HTTP. */
export const TOKEN_NAME_MAX_LENGTH = 100;

/**
 * How many tokens may be valid at once by what is created over HTTP. A list has all valid ones, and as many that have ended, the latest.
 */
export const MAX_TOKENS = 1_000;

/** The longest time for which a token and the one that replaces it both work, in seconds: a year of 365 days. */
export const MAX_OVERLAP_SECONDS = 31_536_000;

/** For how long a request for changes may wait, in seconds: less than after what proxies give up. */
export const MAX_WAIT_SECONDS = 25;

/** The most characters, which are Unicode code points, that the texts of the query of a list may have. */
export const QUERY_MAX_LENGTHS = { after: 1_000, tag: 1_000, q: 100 } as const;

/** The most values of a filter that a list takes at once. */
export const MAX_FILTER_VALUES = 20;
