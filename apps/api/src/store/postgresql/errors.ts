import * as z from 'zod';

/** An error of PostgreSQL or of the driver. */
export interface DriverError {
  /**
   * The SQLSTATE (https://www.postgresql.org/docs/current/errcodes-appendix.html); absent for an error of the
   * connection.
   */
  readonly code?: string;
  readonly message: string;
}

/** How the driver adapter describes an error: of the server, with its code, or of the connection. */
const CauseSchema = z.object({
  kind: z.string().optional(),
  originalCode: z.string().optional(),
  originalMessage: z.string().optional(),
  reason: z.string().optional(),
});
/** Where errors of Prisma's client and of its driver adapter contain that description. */
const AdapterErrorSchema = z.union([
  z.object({ meta: z.object({ driverAdapterError: z.object({ cause: CauseSchema }) }) }),
  z.object({ name: z.literal('DriverAdapterError'), cause: CauseSchema.optional() }),
]);
/**
 * An error of the driver itself. Only those of the server have a severity; Prisma's codes look like an SQLSTATE, too.
 */
const ServerErrorSchema = z.object({ severity: z.string(), code: z.string(), message: z.string() });

/** The driver's messages, without a code, when a connection cannot be opened, breaks, or times out. */
const connectionError =
  /connection terminated|connection error|connection timeout|not queryable|timeout exceeded|read timeout|socket|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH/i;

/** The error of PostgreSQL or its driver within an error of Prisma or the driver; `undefined` for any other error. */
export function findDriverError(error: unknown): DriverError | undefined {
  const server = ServerErrorSchema.safeParse(error);
  if (server.success) return { code: server.data.code, message: server.data.message };
  const adapter = AdapterErrorSchema.safeParse(error);
  if (adapter.success) {
    const cause = 'meta' in adapter.data ? adapter.data.meta.driverAdapterError.cause : adapter.data.cause;
    const message = cause?.originalMessage ?? cause?.reason ?? cause?.kind ?? 'the connection broke';
    return { ...(cause?.originalCode !== undefined && { code: cause.originalCode }), message };
  }
  if (error instanceof Error && connectionError.test(`${codeOf(error)} ${error.message}`)) {
    return { message: error.message || codeOf(error) };
  }
  return undefined;
}

function codeOf(error: Error): string {
  return 'code' in error ? String(error.code) : '';
}

/** Whether the server has found a damaged page or index. */
export function isDamaged({ code }: DriverError): boolean {
  return code !== undefined && meaningOf(code) === 'damaged';
}

/** Whether the database cannot be used at the moment, as opposed to an error in the statement. */
export function isUnavailable({ code }: DriverError): boolean {
  return code === undefined || meaningOf(code) === 'unavailable';
}

/** Whether a type, a constraint or a trigger has rejected a row. */
export function isRowRejected({ code = '' }: DriverError): boolean {
  return /^(22|23|P0)/.test(code);
}

/** Whether the transaction conflicted with another one, so that a retry helps: serialization failure or deadlock. */
export function isConflict({ code }: DriverError): boolean {
  return code === '40001' || code === '40P01';
}

/** Whether a statement has waited as long as it may, as the server says or because no answer came in time; see `rejectAfter`. */
export function hasTimedOut({ code, message }: DriverError): boolean {
  return code === '57014' || (code === undefined && message.startsWith('timeout exceeded: '));
}

/** Whether a statement may have succeeded: it has timed out, its connection broke, or the server says so (40003). */
export function mayHaveSucceeded(error: DriverError): boolean {
  return hasTimedOut(error) || error.code === undefined || error.code === '40003';
}

/** Whether a server was not reached, did not answer in time, or is stopping or starting. */
export function isAway({ code }: DriverError): boolean {
  return code === undefined || /^(08|57)/.test(code);
}

/**
 * What an error of the server means for a request.
 *
 * - `unavailable`: the statement is right, but the server cannot run it at the moment, or in its configuration. 503.
 * - `damaged`: a page or an index is damaged, and a retry does not help. 503, with another error.
 * - `bug`: the statement does not fit the tables or the plant. Since the tables are checked at the start, this is a bug
 *   of the service, or they were changed since. The batch is then retried in halves, and only the plant that causes the
 *   error gets a 500.
 */
type Meaning = 'unavailable' | 'damaged' | 'bug';

/**
 * Every class of SQLSTATE (the first two characters), in the order of
 * https://www.postgresql.org/docs/current/errcodes-appendix.html.
 */
export const classes: Readonly<Record<string, Meaning>> = {
  '00': 'bug', // successful completion: no error
  '01': 'bug', // warning
  '02': 'bug', // no data
  '03': 'bug', // SQL statement not yet complete
  '08': 'unavailable', // connection
  '09': 'bug', // triggered action
  '0A': 'unavailable', // feature not supported: a plan made before the table was changed; a new connection makes a new one
  '0B': 'bug', // invalid transaction initiation
  '0F': 'bug', // locator
  '0L': 'bug', // invalid grantor
  '0P': 'unavailable', // invalid role: dropped since the start
  '0Z': 'bug', // diagnostics
  '10': 'bug', // XQuery
  '20': 'bug', // case not found
  '21': 'bug', // cardinality
  '22': 'bug', // data: this plant
  '23': 'bug', // integrity constraint: this plant
  '24': 'unavailable', // cursor state: a pooler mixes sessions
  '25': 'unavailable', // transaction state: read-only since a failover, or a pooler mixes sessions
  '26': 'unavailable', // prepared statement missing: not supported by a pooler
  '27': 'bug', // triggered data change
  '28': 'unavailable', // login
  '2B': 'bug', // dependent privileges
  '2D': 'unavailable', // transaction termination
  '2F': 'bug', // SQL routine
  '34': 'unavailable', // cursor name: a pooler mixes sessions
  '38': 'bug', // external routine
  '39': 'bug', // external routine invocation
  '3B': 'unavailable', // savepoint: a pooler mixes sessions
  '3D': 'unavailable', // database missing
  '3F': 'unavailable', // schema missing
  '40': 'unavailable', // rolled back, because of another transaction or for an unknown reason
  '42': 'bug', // syntax or access rule; see below
  '44': 'bug', // WITH CHECK OPTION
  '53': 'unavailable', // resources: disk, memory, connections
  '54': 'bug', // program limit: this plant, for example in an additional index
  '55': 'unavailable', // object not in the required state: lock not available, no connections allowed
  '57': 'unavailable', // operator: shutdown, start, timeout
  '58': 'unavailable', // system: files and disks
  '72': 'unavailable', // snapshot too old
  F0: 'unavailable', // configuration file
  HV: 'unavailable', // foreign data: a foreign table
  P0: 'bug', // PL/pgSQL: an additional trigger
  XX: 'unavailable', // an internal error of the server
};

/** Codes with another meaning than their class. */
export const exceptions: Readonly<Record<string, Meaning>> = {
  '42501': 'unavailable', // insufficient privilege: revoked since the start
  XX001: 'damaged', // a page
  XX002: 'damaged', // an index
  '42P05': 'unavailable', // prepared statement exists: not supported by a pooler
};

/** The meaning of an SQLSTATE; one of an unknown class is a bug. */
export function meaningOf(code: string): Meaning {
  return exceptions[code] ?? classes[code.slice(0, 2)] ?? 'bug';
}
