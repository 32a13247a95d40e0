import type pg from 'pg';
import { messageOf, OperatorError } from '../../errors/operator-error.js';
import type { PostgresqlLocation } from '../database-location.js';
import {
  connectionSettings,
  createConnection,
  endConnection,
  findDurabilityProblem,
  queryTimeoutMs,
  type SessionSettings,
  selectSessionSettings,
  withConnection,
} from './connection.js';
import { findDriverError } from './errors.js';

/** Whether a message means that the server has no TLS, or that the user can connect only without it. */
const hasNoTls = (message: string) =>
  message.includes('does not support SSL connections') ||
  (message.includes('no pg_hba.conf entry') && /SSL (encryption|on)$/.test(message));
/** Matches the error from a hosted pooler. (PgBouncer can be configured to ignore these options.) */
const noOptions = /unsupported startup parameter in options/;

export interface PoolerNote {
  readonly found: string;
  readonly advice: string;
}

/**
 * Connects once to resolve what the location leaves open: whether to use TLS (with `sslmode=prefer`), and whether a pooler accepts session
 * settings.
 *
 * @returns the location for all later connections
 * @throws the connection's error in every other case
 */
export async function negotiate(
  location: PostgresqlLocation,
  warn: (note: PoolerNote) => void = () => undefined,
): Promise<PostgresqlLocation> {
  try {
    await withConnection(
      connectionSettings(location, location.timeouts.startConnectMs),
      async () => undefined,
    );
    return location;
  } catch (error) {
    const message = messageOf(error);
    const url = new URL(location.url);
    if (url.searchParams.get('sslmode') === 'prefer' && hasNoTls(message)) {
      url.searchParams.set('sslmode', 'disable');
      return negotiate({ ...location, url: url.href }, warn);
    }
    // Without the options, tables would be in `public` instead of the configured schema.
    if (location.schema !== 'public' || location.omitOptions || !noOptions.test(message)) throw error;
    warn({
      found: 'the connection pooler rejects statement_timeout',
      advice: "Set it for the user: ALTER ROLE … SET statement_timeout = '5s'.",
    });
    return { ...location, omitOptions: true };
  }
}

/** Which connection runs each probe. The order is irregular, because a pooler can alternate its backends. */
const probeOrder = [0, 1, 0, 0, 1] as const;

/** The errors of a prepared statement whose name is unknown to the backend, or taken by another statement. */
const preparedStatementErrors = ['26000', '42P05'];

const noPreparedStatements = `Cannot use the database: the connection pooler runs in transaction mode and does not support \
prepared statements. Enable them (PgBouncer 1.21 or later, max_prepared_statements), use session pooling \
(pool_mode = session; on Supabase, port 5432 of the pooler), or point DATABASE_URL directly at PostgreSQL.`;

/**
 * Detects a pooler in transaction mode, which assigns a backend to a connection for each transaction.
 *
 * @throws {OperatorError} if there is one that lacks what the service needs
 */
export async function checkPooler(location: PostgresqlLocation): Promise<{ readonly isPooled: boolean }> {
  const settings = {
    ...connectionSettings(location, location.timeouts.startConnectMs),
    query_timeout: queryTimeoutMs(location),
  };
  const connections = [0, 1].map(() => ({ client: createConnection(settings), pids: new Set<number>() }));
  // The user may be limited to a single connection at a time.
  const hasOneConnection = location.poolSize === 1;
  let durabilityProblem: ReturnType<typeof findDurabilityProblem>;
  try {
    for (const index of hasOneConnection ? [0, 1] : probeOrder) {
      const connection = connections[index];
      if (connection === undefined) continue;
      const { client, pids } = connection;
      if (pids.size === 0) await client.connect();
      const { pid, text, ...sessionSettings } = await probe(client, `connection ${index}`);
      pids.add(pid);
      durabilityProblem ??= findDurabilityProblem(sessionSettings);
      if (text !== `connection ${index}`) throw new OperatorError(noPreparedStatements);
      if (hasOneConnection) await client.end();
    }
    // A direct connection always reaches the same backend. More or fewer than one PID per connection, or a shared PID, means a pooler.
    const pids = connections.flatMap((connection) => [...connection.pids]);
    const isPooled = pids.length !== connections.length || pids[0] === pids[1];
    // A session setting does not apply to the next transaction, which may run on another backend.
    if (isPooled && durabilityProblem !== undefined)
      throw new OperatorError(
        `Cannot use the database: ${durabilityProblem.found}. The service cannot change this setting through a pooler. ${durabilityProblem.advice}`,
      );
    return { isPooled };
  } catch (error) {
    const code = findDriverError(error)?.code;
    if (code === undefined || !preparedStatementErrors.includes(code)) throw error;
    throw new OperatorError(noPreparedStatements, { cause: error });
  } finally {
    await Promise.all(connections.map(({ client }) => endConnection(client)));
  }
}

/** Runs a prepared statement with the same name but a different text on each connection. */
async function probe(connection: pg.Client, text: string): Promise<Probe> {
  const { rows } = await connection.query<Probe>({
    name: 'plant_store_probe',
    text: `${selectSessionSettings}, pg_backend_pid() AS pid, '${text}' AS text`,
  });
  return rows[0] ?? { pid: 0, text: '', commits: '', messages: '' };
}

interface Probe extends SessionSettings {
  /** The process ID of the backend. */
  readonly pid: number;
  readonly text: string;
}
