import { readFile, rename, writeFile } from 'node:fs/promises';

/** Reads a cursor; `undefined` if there is no file. */
export async function loadCursor(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, 'utf8')).trim();
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
