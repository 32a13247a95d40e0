import * as z from 'zod';
import { meaningOf } from './sqlstate.js';

/** What PostgreSQL or the driver said of a fault. */
export interface DriverError {
  /**
   * The SQLSTATE (https://www.postgresql.org/docs/current/errcodes-appendix.html); absent when the server itself said
   * nothing.
   */
  readonly code?: string;
  readonly message: string;
}

/** What the driver adapter makes of an error: of the server's, which has a code, or of the connection's. */
const CauseSchema = z.object({
  kind: z.string().optional(),
  originalCode: z.string().optional(),
  originalMessage: z.string().optional(),
  reason: z.string().optional(),
});
/** Where Prisma's client puts it, where Prisma's driver adapter does, and how the driver itself throws. */
const AdapterErrorSchema = z.union([
  z.object({ meta: z.object({ driverAdapterError: z.object({ cause: CauseSchema }) }) }),
  z.object({ name: z.literal('DriverAdapterError'), cause: CauseSchema.optional() }),
]);
/** Only an error of the server has a severity; the codes of Prisma's own errors look like an SQLSTATE, too. */
const ServerErrorSchema = z.object({ severity: z.string(), code: z.string(), message: z.string() });

/** What the driver says, without a code, when a connection cannot be had, breaks, or takes too long. */
const connectionFault =
  /connection terminated|connection error|connection timeout|not queryable|timeout exceeded|read timeout|socket|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH/i;

/** What PostgreSQL or its driver said, found in an error of Prisma or of the driver; `undefined` when it is another error. */
export function findDriverError(error: unknown): DriverError | undefined {
  const server = ServerErrorSchema.safeParse(error);
  if (server.success) return { code: server.data.code, message: server.data.message };
  const adapter = AdapterErrorSchema.safeParse(error);
  if (adapter.success) {
    const cause = 'meta' in adapter.data ? adapter.data.meta.driverAdapterError.cause : adapter.data.cause;
    const message = cause?.originalMessage ?? cause?.reason ?? cause?.kind ?? 'the connection broke';
    return { ...(cause?.originalCode !== undefined && { code: cause.originalCode }), message };
  }
  if (error instanceof Error && connectionFault.test(`${codeOf(error)} ${error.message}`)) {
    return { message: error.message || codeOf(error) };
  }
  return undefined;
}

function codeOf(error: Error): string {
  return 'code' in error ? String(error.code) : '';
}

/** Whether the server has met a damaged page or index. */
export function isDamaged({ code }: DriverError): boolean {
  return code !== undefined && meaningOf(code) === 'damaged';
}

/** Whether the database cannot be used at the moment, as opposed to a fault of the statement. */
export function isUnavailable({ code }: DriverError): boolean {
  return code === undefined || meaningOf(code) === 'unavailable';
}

/** Whether a type, a constraint or a trigger has refused what was to be stored. */
export function isRefused({ code = '' }: DriverError): boolean {
  return /^(22|23|P0)/.test(code);
}

/** Whether another transaction got in the way, so that trying again helps: serialization failure and deadlock. */
export function isConflict({ code }: DriverError): boolean {
  return code === '40001' || code === '40P01';
}
