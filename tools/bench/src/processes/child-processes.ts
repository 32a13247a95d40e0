import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The ids of the processes that a process has started and that have not ended; none where there is no /proc. */
export async function readChildren(pid: number, proc = '/proc'): Promise<number[]> {
  const names = await readdir(proc).catch((): string[] => []);
  const ids = names.filter((name) => /^\d+$/.test(name)).map(Number);
  // A process may end meanwhile.
  const stats = await Promise.all(
    ids.map((id) => readFile(join(proc, `${id}/stat`), 'utf8').catch(() => '')),
  );
  return ids.filter((_, index) => isChild(stats[index] ?? '', pid)).toSorted((a, b) => a - b);
}

/** The name of a program is in parentheses, and may have parentheses and spaces itself; state and parent follow. */
function isChild(stat: string, parent: number): boolean {
  const [state, parentId] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return state !== 'Z' && Number(parentId) === parent;
}
