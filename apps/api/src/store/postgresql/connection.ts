import pg, { type ClientConfig } from 'pg';
import { withTimeout } from '../../runtime/timing.js';
import type { PostgresqlLocation } from '../database-location.js';

/** How long a connection can be idle before the kernel sends TCP keep-alive probes, in milliseconds. */
const keepAliveAfterMs = 10_000;

/** Returns the settings for connections to a database. `connectionTimeoutMillis` limits how long connecting takes. */
export function connectionSettings(
  { url, schema, statementTimeoutMs, omitOptions = false }: PostgresqlLocation,
  connectionTimeoutMillis: number,
): ClientConfig {
  const uri = new URL(url);
  // The driver would use only the URI's options and ignore these, so this function combines them.
  const userOptions = uri.searchParams.get('options') ?? '';
  uri.searchParams.delete('options');
  const ownOptions = omitOptions ? '' : `-c search_path=${schema} -c statement_timeout=${statementTimeoutMs}`;
  const options = `${userOptions} ${ownOptions}`.trim();
  return {
    application_name: 'plant-store',
    connectionString: uri.href,
    connectionTimeoutMillis,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveAfterMs,
    ...(options !== '' && { options }),
  };
}

/** Returns how long to wait for the reply to a statement, in milliseconds. The server should cancel the statement first. */
export function queryTimeoutMs({ statementTimeoutMs, timeouts }: PostgresqlLocation): number {
  return statementTimeoutMs + timeouts.queryMarginMs;
}

/** Creates a connection whose `error` events are ignored, because a broken connection also rejects the query in flight. */
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

/** How long to wait for a connection to close, in milliseconds. */
const closeTimeoutMs = 1_000;

/** Closes a connection. If the server does not respond, destroys the socket, which would otherwise keep the process running. */
export async function endConnection(connection: pg.Client): Promise<void> {
  await withTimeout(
    connection.end().catch(() => undefined),
    closeTimeoutMs,
    () => void connection.connection.stream.destroy(),
  );
}

/**
 * Settles as a promise does, but rejects after a timeout in milliseconds. After the timeout, the underlying work continues, and its result is
 * ignored.
 *
 * @throws {Error} after the timeout, which the message contains
 */
export function rejectAfter<Result>(timeoutMs: number, promise: Promise<Result>): Promise<Result> {
  return withTimeout(promise, timeoutMs, () => {
    throw new Error(`timeout exceeded: no answer for ${timeoutMs} ms`);
  });
}

/** The session settings that durability depends on. With wrong values, a record can be lost even though its commit succeeded. */
export interface SessionSettings {
  /** The value of `synchronous_commit`. */
  readonly commits: string;
  /** The value of `client_min_messages`. */
  readonly messages: string;
}

export const selectSessionSettings = `
  SELECT current_setting('synchronous_commit') AS commits, current_setting('client_min_messages') AS messages`;

/**
 * Returns a setting that breaks durability, and advice on how to fix the setting. Returns `undefined` if there is no such setting.
 *
 * @param where names the server in the message, such as ` on its node 10.0.0.7:5432`
 */
export function findDurabilityProblem({ commits, messages }: SessionSettings, where = '') {
  const adviseToSet = (setting: string) => `Set it for the user: ALTER ROLE … SET ${setting}.`;
  if (commits === 'off')
    return {
      found: `commits${where} do not wait for the disk (synchronous_commit = off)`,
      advice: adviseToSet('synchronous_commit = on'),
    };
  if (['error', 'fatal', 'panic'].includes(messages))
    return {
      found: `the server sends no warnings${where} (client_min_messages), so the service cannot detect commits that did not wait for their standby`,
      advice: adviseToSet('client_min_messages = warning'),
    };
  return undefined;
}
