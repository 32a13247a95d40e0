import { formatCount, formatCountOf } from '../../format-count.js';
import type { ReadAs, Source } from '../../protocol.js';
import { type DecodedText, decodeText } from './decode-text.js';
import { isWorkbook, noteMismatch, requirePlainText, UnreadableFileError } from './file-kinds.js';
import {
  guessDelimiter,
  maxColumns,
  maxRows,
  type Row,
  readObjects,
  readRows,
  tooManyRowsError,
} from './read-rows.js';
import type { Sheet } from './read-workbook.js';

/** The rows of a source, and how they were read. */
export interface Table extends Omit<DecodedText, 'text'> {
  /** `undefined` for a pasted text. */
  readonly fileName: string | undefined;
  /** The delimiter between cells; `undefined` if each row is a JSON object. */
  readonly delimiter: string | undefined;
  readonly rows: readonly Row[];
  readonly sheet: Omit<Sheet, 'rows'> | undefined;
  readonly notes: readonly string[];
}

const maxFileBytes = 100e6;
/** The maximum length of a cell, in characters. */
const maxCellLength = 4e6;
/** How much of a text is examined to recognize its format, in characters. */
const sampleLength = 65_536;

/**
 * Reads a file or a pasted text.
 *
 * @throws {UnreadableFileError} if the source is empty or too large, or has another format
 */
export async function readSource(source: Source, readAs: ReadAs = {}): Promise<Table> {
  const table =
    'file' in source
      ? await readFile(source.file, readAs)
      : readText(
          { text: source.text.replace(/^\uFEFF/, ''), encoding: 'UTF-8', hasByteOrderMark: false },
          undefined,
        );
  const { rows } = table;
  if (rows.length === 0)
    throw new UnreadableFileError(
      'There are no lines to import. Choose a file with plants, or paste the lines.',
    );
  if (rows.length > maxRows + 1) throw tooManyRowsError();
  for (const { line, cells } of rows) {
    // A workbook can have a stray cell far to the right, so only its filled cells count.
    const width = table.sheet ? cells.filter((cell) => cell !== '').length : cells.length;
    if (width > maxColumns)
      throw new UnreadableFileError(
        `Line ${line} has more than ${formatCount(maxColumns)} columns. Delete the columns that you do not need, and choose the file again.`,
      );
    if (cells.some(({ length }) => length > maxCellLength))
      throw new UnreadableFileError(
        `Line ${line} is longer than ${formatCount(maxCellLength)} characters. Check the line breaks in the file, and choose it again.`,
      );
  }
  return table;
}

async function readFile(file: File, { sheet: chosen, encoding }: ReadAs): Promise<Table> {
  const { name: fileName, size } = file;
  if (size > maxFileBytes)
    throw new UnreadableFileError(
      `The file is ${formatCount(Math.ceil(size / 1e6))} MB, but this page can import at most 100 MB at a time. Split it into smaller files, or use the command line: plant-store import`,
    );
  let bytes: Uint8Array;
  try {
    bytes = new Uint8Array(await file.arrayBuffer());
  } catch {
    throw new UnreadableFileError(
      'The file could not be read: it was changed, moved, or deleted. Choose it again.',
    );
  }
  if (!isWorkbook(bytes, fileName)) return readText(decodeText(bytes, encoding), fileName);
  // Loaded on demand, because only workbooks need it.
  const { readWorkbook } = await import('./read-workbook.js');
  const { rows, ...sheet } = readWorkbook(bytes, chosen);
  const notes = [...noteMismatch(fileName, 'workbook'), ...noteHidden(sheet)];
  return { rows, sheet, notes, fileName, delimiter: ',', encoding: 'UTF-8', hasByteOrderMark: true };
}

/** The line `sep=;`, which tells Excel the delimiter of a CSV file, without the line break. */
const delimiterLine = /^sep=.(?=[\r\n])/i;

function readText({ text, ...decoded }: DecodedText, fileName: string | undefined): Table {
  requirePlainText(text, fileName);
  const start = text.slice(0, sampleLength).trimStart();
  const hasExtension = (extensions: RegExp) => extensions.test(fileName ?? '');
  const areObjects = /^(\{|\[\s*(\{|\]|$))/.test(start) || hasExtension(/\.(ndjson|jsonl|json)$/i);
  const declared =
    delimiterLine.exec(start)?.[0].at(-1) ?? (hasExtension(/\.(tsv|tab)$/i) ? '\t' : undefined);
  const delimiter = areObjects ? undefined : (declared ?? guessDelimiter(start));
  return {
    ...decoded,
    fileName,
    delimiter,
    sheet: undefined,
    rows:
      delimiter === undefined
        ? readObjects(text)
        : readRows(text.replace(delimiterLine, ''), delimiter, maxRows + 2),
    notes: fileName === undefined ? [] : noteMismatch(fileName, areObjects ? 'objects' : 'table'),
  };
}

/** Returns a note if the sheet has hidden rows or columns. */
function noteHidden({ hidden: { rows, columns } }: Omit<Sheet, 'rows'>): readonly string[] {
  const hidden = [
    ...(rows === 0 ? [] : [formatCountOf(rows, 'hidden row')]),
    ...(columns.length === 0
      ? []
      : [`the hidden ${columns.length === 1 ? 'column' : 'columns'} ${columns.join(', ')}`]),
  ];
  return hidden.length === 0
    ? []
    : [`The sheet has ${hidden.join(' and ')}. Hidden cells are also imported.`];
}
