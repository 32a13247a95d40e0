import * as z from 'zod';

/** An error of SQLite: its result code, such as `SQLITE_BUSY`, and its message. */
export interface DriverError {
  readonly code: string;
  readonly message: string;
}

const CauseSchema = z.object({ originalCode: z.string(), originalMessage: z.string() });

/** Where errors of Prisma's client and of its driver adapter contain that. */
const ErrorSchema = z.union([
  z.object({ meta: z.object({ driverAdapterError: z.object({ cause: CauseSchema }) }) }),
  z.object({ cause: CauseSchema }),
]);

/** The error of SQLite within an error of Prisma or the driver; `undefined` for any other error. */
export function findDriverError(error: unknown): DriverError | undefined {
  if (error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_')) {
    return { code: String(error.code), message: error.message };
  }
  const parsed = ErrorSchema.safeParse(error);
  if (!parsed.success) return undefined;
  const { originalCode, originalMessage } =
    'meta' in parsed.data ? parsed.data.meta.driverAdapterError.cause : parsed.data.cause;
  return { code: originalCode, message: originalMessage };
}

/** Whether another process or connection has locked the file, so that a retry may help. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(findDriverError(error)?.code ?? '');
}

/** Whether the file is damaged or not a database, so that a retry cannot help. */
export function isDamaged(error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB|IOERR_CORRUPTFS)/.test(findDriverError(error)?.code ?? '');
}

/** Whether a constraint or a trigger has rejected a row. */
export function isRowRejected(error: unknown): boolean {
  return /^SQLITE_CONSTRAINT/.test(findDriverError(error)?.code ?? '');
}

/** Whether a row with the same primary key exists. */
export function isIdTaken(error: unknown): boolean {
  return findDriverError(error)?.code === 'SQLITE_CONSTRAINT_PRIMARYKEY';
}
