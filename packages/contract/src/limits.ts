/** The most plants that a page of a list, or a batch, may have. */
export const MAX_PLANTS = 1_000;

/** For how long a request for changes may wait, in seconds: less than after what proxies give up. */
export const MAX_WAIT_SECONDS = 25;

/** The most characters, which are Unicode code points, that the texts of the query of a list may have. */
export const QUERY_MAX_LENGTHS = { after: 100, tag: 1_000, q: 100 } as const;
