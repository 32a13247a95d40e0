import type { Preview } from '../protocol.js';
import type { CheckedPlants } from './check/check-plants.js';
import type { Reading } from './check/read-plants.js';
import { readTitles } from './columns/choose-reading.js';
import type { Table } from './table.js';

/** What was read, without its lines. */
export function describePreview(
  table: Table,
  reading: Reading,
  plants: CheckedPlants,
): Omit<Preview, 'list'> {
  const { columns, hasHeader } = reading;
  return {
    fileName: table.fileName,
    format: nameFormat(table),
    notes: [...noteEncoding(table), ...noteRounding(plants)],
    columns: columns && { titles: readTitles(table, reading), hasHeader, choice: columns },
    plants: plants.plants,
    faulty: plants.problems.size,
    duplicates: plants.duplicates,
  };
}

function nameFormat({ format }: Table): Preview['format'] {
  if (format.kind === 'ndjson') return 'NDJSON';
  return format.delimiter === '\t' ? 'TSV' : 'CSV';
}

function noteEncoding({ encoding }: Table): readonly string[] {
  if (encoding !== 'Windows-1252') return [];
  return [
    'The file is not in UTF-8 and was read as Windows-1252. If names look wrong below, save it as CSV in UTF-8 and choose it again.',
  ];
}

function noteRounding({ rounded }: CheckedPlants): readonly string[] {
  if (rounded === 0) return [];
  return [
    `All ids of more than 15 digits end in zeros (${rounded}): the spreadsheet may have rounded them. Format the column as text, and enter these ids again.`,
  ];
}
