import * as z from 'zod';
import { codeOf } from '../../errors/operator-error.js';
import { type DriverError, findAdapterError, type Meaning } from '../database.js';

/**
 * An error from the server, as the driver throws it. Only these errors have a severity. A Prisma error also has a code that looks like an
 * SQLSTATE.
 */
const ServerErrorSchema = z.object({ severity: z.string(), code: z.string(), message: z.string() });

/** Matches the driver's errors, which have no SQLSTATE, when a connection cannot be opened, breaks, or times out. */
const connectionError =
  /connection terminated|connection error|connection timeout|not queryable|timeout exceeded|read timeout|socket|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH/i;

/**
 * Finds the error from PostgreSQL or its driver, with its SQLSTATE (https://www.postgresql.org/docs/current/errcodes-appendix.html), inside
 * an error from Prisma or the driver. Returns `undefined` for any other error.
 */
export function findDriverError(error: unknown): DriverError | undefined {
  const server = ServerErrorSchema.safeParse(error);
  if (server.success) return { code: server.data.code, message: server.data.message };
  const adapterError = findAdapterError(error);
  if (adapterError !== undefined) return adapterError;
  if (error instanceof Error && connectionError.test(`${codeOf(error)} ${error.message}`)) {
    return { message: error.message || String(codeOf(error)) };
  }
  return undefined;
}

/** Whether a type, a constraint, or a trigger rejected a row. */
export function isRowRejected({ code = '' }: DriverError): boolean {
  return /^(22|23|P0)/.test(code);
}

/** Whether the transaction conflicted with another one, so that a retry helps: serialization failure or deadlock. */
export function isConflict({ code }: DriverError): boolean {
  return code === '40001' || code === '40P01';
}

/** Returns what an SQLSTATE means for a request. A connection error has none. */
export function meaningOf(code: string | undefined): Meaning {
  if (code === undefined) return 'unavailable';
  if (damagedCodes.includes(code)) return 'damaged';
  const isUnavailable = unavailableCodes.includes(code) || unavailableClasses.includes(code.slice(0, 2));
  return isUnavailable ? 'unavailable' : 'bug';
}

/** Corrupted data: a table page (XX001) or an index (XX002). */
const damagedCodes = ['XX001', 'XX002'];

/** Single codes, from classes that are not in `unavailableClasses`. */
const unavailableCodes = [
  '42501', // insufficient privilege: revoked since the start
  '42P05', // prepared statement exists: not supported by a pooler
];

/** SQLSTATE classes, which are the first two characters, of errors that have nothing to do with the statement. */
const unavailableClasses = [
  '08', // connection
  '0A', // feature not supported: a plan made before the table was changed; a new connection makes a new one
  '0P', // invalid role: dropped since the start
  '24', // cursor state: a pooler mixes sessions
  '25', // transaction state: read-only since a failover, or a pooler mixes sessions
  '26', // prepared statement missing: not supported by a pooler
  '28', // login
  '2D', // transaction termination
  '34', // cursor name: a pooler mixes sessions
  '3B', // savepoint: a pooler mixes sessions
  '3D', // database missing
  '3F', // schema missing
  '40', // rolled back, because of another transaction or for an unknown reason
  '53', // resources: disk, memory, connections
  '55', // object not in the required state: lock not available, no connections allowed
  '57', // operator: shutdown, start, timeout
  '58', // system: files and disks
  '72', // snapshot too old, until PostgreSQL 17
  'F0', // configuration file
  'HV', // foreign data: a foreign table
  'XX', // an internal error of the server
];
