import Papa from 'papaparse';
import { UnreadableFileError } from './decode-text.js';

/** How the plants of a text are written: one JSON object a line, or cells between delimiters, in quotes where needed (RFC 4180). */
export type Format = { readonly kind: 'ndjson' } | { readonly kind: 'delimited'; readonly delimiter: string };

const sampleLength = 64 * 1024;

/** The line in which Excel names the delimiter of a CSV file, without its end. */
export const delimiterLine = /^sep=.(?=[\r\n])/i;

/**
 * Recognizes the format by the content, and by the ending of the file's name where there is one.
 *
 * @throws {UnreadableFileError} for a JSON array, which is not read line by line, and for a web page
 */
export function detectFormat(text: string, fileName: string | undefined): Format {
  const start = text.slice(0, sampleLength).trimStart();
  if (start.startsWith('[') && /^\[\s*(\{|\]|$)/.test(start)) {
    throw new UnreadableFileError(
      'This is a JSON array. Write one object on each line (NDJSON), such as with jq 1.7 or later, because older versions round ids: jq -c ".[]" plants.json',
    );
  }
  if (/^<(!doctype|html|head|meta|table|\?xml|!--)/i.test(start)) {
    throw new UnreadableFileError(
      'This is a web page or XML, which spreadsheets open, too. Open it there, and save it as XLSX, or as CSV in UTF-8.',
    );
  }
  const isJsonName = /\.(ndjson|jsonl|json)$/i.test(fileName ?? '');
  if (start.startsWith('{') || isJsonName) return { kind: 'ndjson' };
  const declared = delimiterLine.exec(start)?.[0].at(-1);
  if (declared !== undefined) return { kind: 'delimited', delimiter: declared };
  if (/\.(tsv|tab)$/i.test(fileName ?? '')) return { kind: 'delimited', delimiter: '\t' };
  return { kind: 'delimited', delimiter: guessDelimiter(start) };
}

/** Of two that explain the same lines the first one: texts have commas rather than semicolons. */
const delimiters = ['\t', ';', ',', '|'];

/** The delimiter by which most of the first lines have the same number of cells, whatever is above the titles. */
function guessDelimiter(start: string): string {
  const counts = delimiters.map((delimiter) => {
    // An empty line, such as the one after the last line break, would count as a row of one cell.
    const { data } = Papa.parse<string[]>(start, { delimiter, preview: 20, skipEmptyLines: true });
    const widths = data.map(({ length }) => length).filter((width) => width > 1);
    return Math.max(0, ...widths.map((width) => widths.filter((other) => other === width).length));
  });
  const most = Math.max(...counts);
  return most === 0 ? ',' : (delimiters[counts.indexOf(most)] ?? ',');
}
