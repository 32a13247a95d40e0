import pg from 'pg';
import { OperatorError } from '../../../errors/operator-error.js';
import type { PostgresqlLocation } from '../../database-location.js';
import { findDriverError } from '../errors/driver-error.js';
import { connectionSettings } from './connection-settings.js';

/** Which of two connections runs the statement, one after the other; neither takes turns for long. */
const turns = [0, 1, 0, 0, 1] as const;

/** What a statement is answered with whose name another connection has given to another statement, or to none. */
const preparedStatementErrors = ['26000', '42P05'];

const refusal = `The database cannot be used: a pooler between it and the service hands connections on, but not their \
prepared statements. Let it carry them (PgBouncer 1.21 or later, max_prepared_statements), let it keep a connection for \
the whole session (pool_mode = session), or let DATABASE_URL name PostgreSQL itself.`;

const asynchronous = `The database cannot be used: commits do not wait for the disk (synchronous_commit = off), and a \
pooler keeps the service from setting this. Set it for the user: ALTER ROLE … SET synchronous_commit = on.`;

const silent = `The database cannot be used: the server sends no warnings (client_min_messages), one of which says that a \
commit did not wait for its standby, and a pooler keeps the service from setting this. Set it for the user: \
ALTER ROLE … SET client_min_messages = warning.`;

/** The values of `client_min_messages` at which a warning is not sent. */
const withoutWarnings = ['error', 'fatal', 'panic'];

/**
 * Finds out whether a pooler hands on the connections to others after each transaction.
 *
 * @throws {OperatorError} when it does, and does not carry what the service needs of them
 */
export async function checkPooler(location: PostgresqlLocation): Promise<{ readonly isPooled: boolean }> {
  const connections = [0, 1].map(() => new pg.Client(connectionSettings(location)));
  const backends = connections.map(() => new Set<number>());
  // A single connection may be all that the user is allowed.
  const isSingle = location.poolSize === 1;
  let waitsForDisk = true;
  let sendsWarnings = true;
  try {
    for (const turn of isSingle ? [0, 1] : turns) {
      const [connection, known] = [connections[turn], backends[turn]];
      if (connection === undefined || known === undefined) continue;
      if (known.size === 0) await connect(connection);
      const { pid, text, commits, messages } = await probe(connection, `turn ${turn}`);
      known.add(pid);
      waitsForDisk &&= commits !== 'off';
      sendsWarnings &&= !withoutWarnings.includes(messages);
      if (text !== `turn ${turn}`) throw new OperatorError(refusal);
      if (isSingle) await connection.end();
    }
    const pids = backends.flatMap((known) => [...known]);
    const isPooled = pids.length !== connections.length || pids[0] === pids[1];
    // What a connection sets for itself does not hold for the next transaction, which may be another backend's.
    if (isPooled && !waitsForDisk) throw new OperatorError(asynchronous);
    if (isPooled && !sendsWarnings) throw new OperatorError(silent);
    return { isPooled };
  } catch (error) {
    const code = findDriverError(error)?.code;
    if (code === undefined || !preparedStatementErrors.includes(code)) throw error;
    throw new OperatorError(refusal, { cause: error });
  } finally {
    await Promise.all(connections.map((connection) => connection.end().catch(() => undefined)));
  }
}

async function connect(connection: pg.Client): Promise<void> {
  // A connection that breaks fails the query that is in flight, too.
  connection.on('error', () => undefined);
  await connection.connect();
}

/** Runs a prepared statement that has the same name on each connection, and another text. */
async function probe(connection: pg.Client, text: string): Promise<Probe> {
  const { rows } = await connection.query<Probe>({
    name: 'plant_store_probe',
    text: `SELECT pg_backend_pid() AS pid, '${text}' AS text, current_setting('synchronous_commit') AS commits,
      current_setting('client_min_messages') AS messages`,
  });
  return rows[0] ?? { pid: 0, text: '', commits: '', messages: '' };
}

interface Probe {
  /** The process of the server that has answered. */
  readonly pid: number;
  readonly text: string;
  /** Its `synchronous_commit`. */
  readonly commits: string;
  /** Its `client_min_messages`. */
  readonly messages: string;
}
