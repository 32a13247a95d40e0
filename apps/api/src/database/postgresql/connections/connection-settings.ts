import type { ClientConfig } from 'pg';
import type { PostgresqlLocation } from '../../database-location.js';

/** The timeout for opening a connection while requests wait for it, in milliseconds. */
export const connectTimeoutMs = 3_000;

/** The timeout for opening a connection at the start, when no request waits and the server may be busy, in milliseconds. */
export const startConnectTimeoutMs = 10_000;

/** How much longer than the server's own timeout the service waits for a statement, in milliseconds. */
const queryMarginMs = 1_000;

/** The idle time before the kernel sends TCP keep-alive probes, in milliseconds. */
const keepAliveAfterMs = 10_000;

/** The settings of every connection to the database, with its timeout in milliseconds. */
export function connectionSettings(
  { url, schema, statementTimeoutMs }: PostgresqlLocation,
  connectionTimeoutMillis: number,
): ClientConfig {
  return {
    application_name: 'plant-store',
    connectionString: url,
    connectionTimeoutMillis,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveAfterMs,
    options: `-c search_path=${schema} -c statement_timeout=${statementTimeoutMs}`,
  };
}

/** The timeout of a query, in milliseconds: the server's timeout for the statement, plus a margin. */
export function queryTimeoutMs({ statementTimeoutMs }: PostgresqlLocation): number {
  return statementTimeoutMs + queryMarginMs;
}
