import Papa from 'papaparse';

/** The rows of cells in a text, and what is wrong with their quotes: opened and not closed, or closed within a cell. */
export interface ParsedCells {
  readonly rows: readonly (readonly string[])[];
  readonly quotes: 'right' | 'open' | 'malformed';
}

/** Parses CSV or TSV whose lines outside of quotes end with LF. Cells are kept exactly: nothing is trimmed or converted. */
export function parseCells(text: string, delimiter: string): ParsedCells {
  const { data, errors } = Papa.parse<string[]>(text, { delimiter, newline: '\n' });
  if (errors.some(({ code }) => code === 'InvalidQuotes')) return { rows: data, quotes: 'malformed' };
  return { rows: data, quotes: errors.some(({ code }) => code === 'MissingQuotes') ? 'open' : 'right' };
}
