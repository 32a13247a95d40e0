/**
 * How long the steps of a stop may take once the shutdown timeout is over, one after the other, in milliseconds. Together
 * they are well below the 2 seconds that docs/operate/deploy.md promises.
 */
export const stopTimeouts = {
  /** To close the database, which may not answer. */
  databaseMs: 500,
  /** To answer a request on the admin port. */
  adminMs: 250,
  /** To write the log, which may not be read. */
  logMs: 500,
  /** To end by itself, which a write that blocks may prevent. */
  processMs: 250,
};

/**
 * How long the steps of a stop with workers may take once the shutdown timeout is over, in milliseconds, before those of
 * `adminMs`, `logMs` and `processMs`. All together they are well below the 3 seconds that docs/operate/deploy.md promises.
 */
export const clusterStopTimeouts = {
  /** For workers to close what they have, which includes their log. */
  workersMs: stopTimeouts.databaseMs + stopTimeouts.logMs,
  /** To close the database of the primary process, which stores nothing. */
  databaseMs: 250,
};
