import type { ClientConfig } from 'pg';
import type { PostgresqlLocation } from '../../database-location.js';

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
export function queryTimeoutMs({ statementTimeoutMs, timeouts }: PostgresqlLocation): number {
  return statementTimeoutMs + timeouts.queryMarginMs;
}
