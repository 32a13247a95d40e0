import type { ReadAs, Source } from '../../protocol.js';
import { chooseLayout } from '../columns/recognize-columns.js';
import { Lines } from '../lines.js';
import { readSource } from '../read/read-source.js';

/** A chosen file. */
export function file(name: string, content: string | Uint8Array<ArrayBuffer>): Source {
  return { file: new File([content], name) };
}

/** Reads a source as the page does. `plants` has its plants and `faulty` the problems, by line number. */
export async function read(source: Source, readAs: ReadAs = {}) {
  const table = await readSource(source, readAs);
  const layout = chooseLayout(table);
  const lines = new Lines(table, layout);
  const plants = [...lines.withState('ready')].map(({ row, plant }) => [row.line, plant] as const);
  const faulty = [...lines.withState('problem')].map(({ row, problem }) => [row.line, problem?.reason]);
  return {
    lines,
    plants: Object.fromEntries(plants),
    faulty: Object.fromEntries(faulty),
    counts: lines.counts,
    notes: [...table.notes, ...lines.notes],
    layout,
    delimiter: table.delimiter,
    encoding: table.encoding,
  };
}
