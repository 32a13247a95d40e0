import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Writes a folder under another name, and gives it its name once it is complete. A folder that was there is replaced as a
 * whole; if writing fails, it stays as it was.
 *
 * @param target the path of the folder
 * @param write writes everything into the folder that it is given, which is empty
 */
export async function replaceFolder(target: string, write: (folder: string) => Promise<void>): Promise<void> {
  mkdirSync(dirname(target), { recursive: true });
  const working = mkdtempSync(join(dirname(target), '.writing-'));
  const [written, previous] = [join(working, 'written'), join(working, 'previous')];
  try {
    mkdirSync(written);
    await write(written);
    chmodSync(written, 0o755);
    const isReplaced = existsSync(target);
    if (isReplaced) renameSync(target, previous);
    try {
      renameSync(written, target);
    } catch (error) {
      if (isReplaced) renameSync(previous, target);
      throw error;
    }
  } finally {
    rmSync(working, { recursive: true, force: true });
  }
}
