import * as z from 'zod';

/** What SQLite itself said of a fault: its result code, such as `SQLITE_BUSY`, and its message. */
export interface DriverError {
  readonly code: string;
  readonly message: string;
}

const CauseSchema = z.object({ originalCode: z.string(), originalMessage: z.string() });

/** Where Prisma's client puts it, and where Prisma's driver adapter does. */
const ErrorSchema = z.union([
  z.object({ meta: z.object({ driverAdapterError: z.object({ cause: CauseSchema }) }) }),
  z.object({ cause: CauseSchema }),
]);

/** What SQLite said, found in an error of Prisma or of the driver; `undefined` when it is another error. */
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

/** Whether another process or connection holds the file, so that trying again may help. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(findDriverError(error)?.code ?? '');
}

/** Whether the file holds what no database does, so that trying again cannot help. */
export function isDamaged(error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB|IOERR_CORRUPTFS)/.test(findDriverError(error)?.code ?? '');
}

/** Whether a constraint or a trigger has refused what was to be stored. */
export function isRowRejected(error: unknown): boolean {
  return /^SQLITE_CONSTRAINT/.test(findDriverError(error)?.code ?? '');
}

/** Whether a row with the same primary key exists. */
export function isIdTaken(error: unknown): boolean {
  return findDriverError(error)?.code === 'SQLITE_CONSTRAINT_PRIMARYKEY';
}
