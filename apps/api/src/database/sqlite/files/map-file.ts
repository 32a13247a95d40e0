import type { SqlDriverAdapter } from '@prisma/driver-adapter-utils';

/** How much of the file is mapped at most, in bytes, which is all that SQLite maps; what lies past it is read by calls. */
const mapBytes = 2 ** 31 - 2 ** 16;

/**
 * SQLite reads a page with a call of the system, unless its file is mapped into memory: then it copies it from there.
 * Writes are calls as before. The map is as long as the file was when it was made; so it is made anew for a file that
 * has grown, with the first page that is read.
 */
const mapAnew = `
  PRAGMA mmap_size = 0;
  PRAGMA mmap_size = ${mapBytes};
  SELECT id FROM plants LIMIT 1;`;

/**
 * Maps the file of a connection into memory, as it is now and whenever so many plants have come since.
 *
 * @returns what is to be told how many plants come; no statement may be under way on the connection then
 */
export async function mapFile(
  connection: SqlDriverAdapter,
  plantsPerMap = 100_000,
): Promise<(plants: number) => void> {
  await connection.executeScript(mapAnew);
  let plantsSince = 0;
  return function grow(plants) {
    plantsSince += plants;
    if (plantsSince < plantsPerMap) return;
    plantsSince = 0;
    // Without a map the file is read by calls.
    connection.executeScript(mapAnew).catch(() => undefined);
  };
}
