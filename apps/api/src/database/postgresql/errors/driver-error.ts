import * as z from 'zod';
import { meaningOf } from './sqlstate.js';

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

/** Whether the server has cancelled the statement, such as one that took too long. */
export function isCanceled({ code }: DriverError): boolean {
  return code === '57014';
}

/** Whether a server was not reached, did not answer in time, or is stopping or starting. */
export function isAway({ code }: DriverError): boolean {
  return code === undefined || /^(08|57)/.test(code);
}
