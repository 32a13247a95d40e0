import { readdir, readFile } from 'node:fs/promises';

/**
 * The processor time that all threads of a process have taken so far, in microseconds. Linux counts it in nanoseconds; the
 * time that other systems report is too coarse for short runs.
 *
 * @throws {Error} on another system
 */
export async function readProcessorTime(pid: number): Promise<number> {
  const folder = `/proc/${pid}/task`;
  const threads = await readdir(folder).catch((cause: unknown) => {
    throw new Error('Processor time is read from /proc, which only Linux has. Measure on Linux.', { cause });
  });
  // A thread may end meanwhile.
  const texts = await Promise.all(
    threads.map((thread) => readFile(`${folder}/${thread}/schedstat`, 'utf8').catch(() => '0')),
  );
  return texts.reduce((sum, text) => sum + Number(text.split(' ', 1)[0]) / 1_000, 0);
}
