import type { ReadAs, Source } from '../../protocol.js';
import { chooseReading } from '../columns/choose-reading.js';
import { Lines } from '../lines.js';
import { createPacer } from '../pacer.js';
import { readLineNumber, readTable } from '../table.js';

export const pacer = createPacer(new AbortController().signal, () => undefined);

/** A file of the person. */
export function file(name: string, content: string | Uint8Array<ArrayBuffer>): Source {
  return { file: new File([content], name) };
}

/** The lines of a source as the page recognizes it, with its plants and the reasons of its faulty lines by line. */
export async function read(source: Source, readAs: ReadAs = {}) {
  const table = await readTable(source, pacer, readAs);
  const reading = chooseReading(table);
  const lines = await Lines.check(table, reading, pacer);
  const plants = [...lines.readReady()].map(
    ([index, plant]) => [readLineNumber(table, index), plant] as const,
  );
  const faulty = [...lines.problems].map(([index, { reason }]) => [readLineNumber(table, index), reason]);
  return {
    lines,
    plants: Object.fromEntries(plants),
    faulty: Object.fromEntries(faulty),
    counts: lines.counts,
    rounded: lines.rounded,
    reading,
    format: table.format,
    encoding: table.encoding,
    sheet: table.sheet,
  };
}
