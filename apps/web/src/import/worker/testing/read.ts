import type { Source } from '../../protocol.js';
import { checkPlants, state } from '../check/check-plants.js';
import { readPlants } from '../check/read-plants.js';
import { chooseReading } from '../columns/choose-reading.js';
import { createPacer } from '../pacer.js';
import { readLineNumber, readTable } from '../table.js';

const pacer = createPacer(new AbortController().signal, () => undefined);

/** A file of the person. */
export function file(name: string, content: string | Uint8Array<ArrayBuffer>): Source {
  return { file: new File([content], name) };
}

/** The plants of a source as the page recognizes it, and the reasons of its faulty lines, by line. */
export async function read(source: Source) {
  const table = await readTable(source, pacer);
  const reading = chooseReading(table);
  const { problems, states, ...counts } = await checkPlants(table, reading, pacer);
  const records = readPlants(table, reading, 0, table.length);
  const plants = records.flatMap((record, index) =>
    states[index] === state.open && 'plant' in record
      ? [[readLineNumber(table, index), record.plant] as const]
      : [],
  );
  const faulty = [...problems].map(([index, { reason }]) => [readLineNumber(table, index), reason]);
  return {
    plants: Object.fromEntries(plants),
    faulty: Object.fromEntries(faulty),
    counts,
    format: table.format,
    encoding: table.encoding,
  };
}
