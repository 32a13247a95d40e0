import process from 'node:process';

/** What each program gets on its command line: its database, the only token that it accepts, its port of 127.0.0.1, and options. */
const [, , databaseUrl = '', token = '', port = '', ...options] = process.argv;

export const settings = { databaseUrl, token, port: Number(port), host: '127.0.0.1', options };

/** The table of PostgreSQL. */
export const createPlantsTable =
  'CREATE TABLE IF NOT EXISTS plants (id BIGINT NOT NULL PRIMARY KEY, name TEXT NOT NULL, tag TEXT)';

/** The id that a page begins after, of the cursor of the service, which ends with it. */
export const readAfter = (after = '.0') => Number(after.slice(after.lastIndexOf('.') + 1));
