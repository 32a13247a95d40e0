import { readFile, rename, writeFile } from 'node:fs/promises';

/** Reads a cursor; `undefined` if there is no file. */
export async function loadCursor(file: string): Promise<string | undefined> {
  try {
    const cursor = (await readFile(file, 'utf8')).trim();
    if (cursor === '')
      throw new Error(
        `${file} is empty: write 0 into it to send all that is stored, or remove it to begin now.`,
      );
    return cursor;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Replaces the file at once, so that it is never half written. */
export async function storeCursor(file: string, cursor: string): Promise<void> {
  await writeFile(`${file}.new`, cursor, { flush: true });
  await rename(`${file}.new`, file);
}
