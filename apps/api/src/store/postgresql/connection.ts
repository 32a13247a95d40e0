import pg, { type ClientConfig } from 'pg';
import { withTimeout } from '../../runtime/timing.js';
import type { PostgresqlLocation } from '../database-location.js';

/** The idle time before the kernel sends TCP keep-alive probes, in milliseconds. */
const keepAliveAfterMs = 10_000;

/** The settings of every connection to the database, with its timeout in milliseconds. */
export function connectionSettings(
  { url, schema, statementTimeoutMs, omitOptions = false }: PostgresqlLocation,
  connectionTimeoutMillis: number,
): ClientConfig {
  const uri = new URL(url);
  // Merged, because options in the URI would replace these.
  const given = uri.searchParams.get('options') ?? '';
  uri.searchParams.delete('options');
  const own = omitOptions ? '' : `-c search_path=${schema} -c statement_timeout=${statementTimeoutMs}`;
  const options = `${given} ${own}`.trim();
  return {
    application_name: 'plant-store',
    connectionString: uri.href,
    connectionTimeoutMillis,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveAfterMs,
    ...(options !== '' && { options }),
  };
}

export function queryTimeoutMs({ statementTimeoutMs, timeouts }: PostgresqlLocation): number {
  return statementTimeoutMs + timeouts.queryMarginMs;
}

/** Creates a connection. Its errors are ignored, because the query in flight also fails when it breaks. */
export function createConnection(settings: ClientConfig): pg.Client {
  return new pg.Client(settings).on('error', () => undefined);
}

export async function withConnection<Result>(
  settings: ClientConfig,
  run: (connection: pg.Client) => Promise<Result>,
): Promise<Result> {
  const connection = createConnection(settings);
  try {
    await connection.connect();
    return await run(connection);
  } finally {
    await endConnection(connection);
  }
}

/** How long closing a connection may take, in milliseconds. */
const closeTimeoutMs = 1_000;

/** Closes a connection, or cuts it off where the server does not answer, so that it does not keep the process running. */
export async function endConnection(connection: pg.Client): Promise<void> {
  await withTimeout(
    connection.end().catch(() => undefined),
    closeTimeoutMs,
    () => void connection.connection.stream.destroy(),
  );
}

/**
 * Resolves or rejects as a promise does, but rejects after a timeout in milliseconds. The underlying work then continues, and its result is
 * ignored.
 *
 * @throws {Error} that mentions the timeout in its message
 */
export function rejectAfter<Result>(timeoutMs: number, promise: Promise<Result>): Promise<Result> {
  return withTimeout(promise, timeoutMs, () => {
    throw new Error(`timeout exceeded: no answer for ${timeoutMs} ms`);
  });
}

/** Session settings that durability depends on: with wrong values, a record may be lost although its commit succeeded. */
export interface SessionSettings {
  /** The value of `synchronous_commit`. */
  readonly commits: string;
  /** The value of `client_min_messages`. */
  readonly messages: string;
}

export const selectSessionSettings = `
  SELECT current_setting('synchronous_commit') AS commits, current_setting('client_min_messages') AS messages`;

/** Finds a setting that breaks durability, with advice. `where` says in the message which server has it. */
export function findDurabilityProblem({ commits, messages }: SessionSettings, where = '') {
  const adviseToSet = (setting: string) => `Set it for the user: ALTER ROLE … SET ${setting}.`;
  if (commits === 'off')
    return {
      found: `commits${where} do not wait for the disk (synchronous_commit = off)`,
      advice: adviseToSet('synchronous_commit = on'),
    };
  if (['error', 'fatal', 'panic'].includes(messages))
    return {
      found: `the server sends no warnings${where} (client_min_messages), one of which reports that a commit did not wait for its standby`,
      advice: adviseToSet('client_min_messages = warning'),
    };
  return undefined;
}
