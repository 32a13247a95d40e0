import type { SqlDriverAdapter } from '@prisma/driver-adapter-utils';

/** The most that is mapped, in bytes, which is SQLite's own maximum; the rest of a file is read by system calls. */
const mapBytes = 2 ** 31 - 2 ** 16;

/**
 * SQLite reads a page with a system call, unless the file is mapped into memory: then it copies the page from there.
 * Writes are not affected. The map is as long as the file was when it was created, with the first read; so it is
 * created again for a file that has grown.
 */
const createMapScript = `
  PRAGMA mmap_size = 0;
  PRAGMA mmap_size = ${mapBytes};
  SELECT id FROM plants LIMIT 1;`;

/**
 * Maps the file of a connection into memory, now and after each `plantsPerMap` plants.
 *
 * @returns a function to call with the number of plants of each insert, while no statement runs on the connection
 */
export async function mapFile(
  connection: SqlDriverAdapter,
  plantsPerMap = 100_000,
): Promise<(plants: number) => void> {
  await connection.executeScript(createMapScript);
  let plantsSince = 0;
  return function grow(plants) {
    plantsSince += plants;
    if (plantsSince < plantsPerMap) return;
    plantsSince = 0;
    // Without a map, the file is read by system calls.
    connection.executeScript(createMapScript).catch(() => undefined);
  };
}
