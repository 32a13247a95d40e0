import process from 'node:process';

/** The command-line arguments of a target: the database, the only token to accept, the port on 127.0.0.1, and options. */
const [, , databaseUrl = '', token = '', port = '', ...options] = process.argv;

export const settings = { databaseUrl, token, port: Number(port), host: '127.0.0.1', options };

/** Creates the table on PostgreSQL. */
export const createPlantsTable =
  'CREATE TABLE IF NOT EXISTS plants (id BIGINT NOT NULL PRIMARY KEY, name TEXT NOT NULL, tag TEXT)';

/** Returns the ID after which a page begins, from the end of a cursor of the service. */
export const readAfter = (after = '.0') => Number(after.slice(after.lastIndexOf('.') + 1));
