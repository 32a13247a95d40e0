import { z } from 'zod';
import { ServiceError } from '../../service-error.js';
import { Prisma } from './generated/client.js';

/**
 * The SQLite result codes that say nothing about the statement, only that the file cannot be used at the moment:
 * held by another process, disk full or failing, not writable.
 */
const unavailableCodes = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|CORRUPT|NOTADB|PROTOCOL)/;

/** Where Prisma puts the code that the driver gave. */
const DriverErrorSchema = z.object({
  driverAdapterError: z.object({ cause: z.object({ originalCode: z.string() }) }),
});

/**
 * Runs a query and turns a failure of the database, as opposed to one of the query, into `database_unavailable`.
 *
 * @throws {ServiceError} `database_unavailable` with `Retry-After`; every other error as it is
 */
export async function orUnavailable<Result>(query: () => Promise<Result>): Promise<Result> {
  try {
    return await query();
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    throw new ServiceError('database_unavailable', 'The database does not answer. Try again in 1 second.', {
      headers: { 'Retry-After': '1' },
      cause: error,
    });
  }
}

function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Prisma.PrismaClientKnownRequestError)) return false;
  const driverError = DriverErrorSchema.safeParse(error.meta);
  return driverError.success && unavailableCodes.test(driverError.data.driverAdapterError.cause.originalCode);
}
