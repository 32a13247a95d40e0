import type { ClientConfig } from 'pg';
import type { PostgresqlLocation } from '../../database-location.js';

/** How long a connection may take to be had, in milliseconds. */
export const connectTimeoutMs = 3_000;

/** How much longer than the server itself the service waits for the end of a statement, in milliseconds. */
const answerMarginMs = 1_000;

/** After how long without traffic the kernel asks whether the other side is there, in milliseconds. */
const keepAliveAfterMs = 10_000;

/** How each connection to the database is made. */
export function connectionSettings({ url, schema, statementTimeoutMs }: PostgresqlLocation): ClientConfig {
  return {
    application_name: 'plant-store',
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveAfterMs,
    options: `-c search_path=${schema} -c statement_timeout=${statementTimeoutMs}`,
  };
}

/** After how long a request gives up what it has asked, in milliseconds: the statement's own time, and a margin. */
export function giveUpAfterMs({ statementTimeoutMs }: PostgresqlLocation): number {
  return statementTimeoutMs + answerMarginMs;
}
