import type { WriteStream } from 'node:tty';
import type { Counts } from './load-plants.ts';

/** Shows the progress of a run, on a terminal in one line and otherwise now and then; returns a function that ends it. */
export function showProgress(
  output: Pick<WriteStream, 'write'> & { isTTY?: boolean },
  counts: Counts,
): () => void {
  const startedAt = performance.now();
  const show = (end: string) => {
    const seconds = (performance.now() - startedAt) / 1_000;
    output.write(`${output.isTTY ? '\r\x1b[K' : ''}${describe(counts, seconds)}${end}`);
  };
  const timer = output.isTTY ? setInterval(show, 200, '') : setInterval(show, 5_000, '\n');
  return () => {
    clearInterval(timer);
    show('\n');
  };
}

function describe(
  { stored, alreadyThere, rejected, bytesRead, bytesTotal }: Counts,
  seconds: number,
): string {
  const done = bytesTotal === 0 ? 0 : Math.min(1, bytesRead / bytesTotal);
  const rate = Math.round((stored + alreadyThere + rejected) / seconds);
  const left = done > 0 && done < 1 ? `, ${Math.ceil((seconds * (1 - done)) / done)} s left` : '';
  return `${Math.floor(done * 100)} %: ${stored} stored, ${alreadyThere} there already, ${rejected} rejected; ${rate} a second${left}`;
}
