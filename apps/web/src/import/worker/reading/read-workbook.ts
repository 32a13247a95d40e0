import { UnreadableFileError } from './decode-text.js';
import { maxColumns, tooManyColumns } from './index-records.js';

/** The first sheet of a workbook that has anything in it. */
export interface Sheet {
  readonly name: string;
  /** The cells of the rows that are not blank, as text. */
  readonly rows: readonly (readonly string[])[];
  /** The number of each of these rows in the sheet, from 1 on. */
  readonly numbers: Uint32Array;
  /** Whether a cell is a number that the spreadsheet may have rounded. */
  isRounded(row: number, column: number): boolean;
}

/** A cell with a number, as the digits in the file. */
class NumberCell {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }
}

/** More than a sheet has columns. */
const columnLimit = 2 ** 15;

/**
 * Reads an XLSX file. Texts are kept exactly; of numbers, those that a double holds.
 *
 * @throws {UnreadableFileError} when it is damaged or empty, or has too many columns
 */
export async function readWorkbook(file: ArrayBuffer): Promise<Sheet> {
  const { default: readSheets } = await import('read-excel-file/universal');
  const sheets = await readSheets(file, {
    trim: false,
    parseNumber: (digits) => new NumberCell(digits),
  }).catch((cause: unknown) => {
    const advice = 'The workbook cannot be read. Save it again as XLSX, or as CSV in UTF-8.';
    throw new UnreadableFileError(advice, { cause });
  });
  for (const { sheet, data } of sheets) {
    const read = toSheet(sheet, data);
    if (read.rows.length > 0) return read;
  }
  throw new UnreadableFileError('There are no lines in it. Choose a file with plants, or paste them.');
}

function toSheet(name: string, data: readonly (readonly unknown[])[]): Sheet {
  const rows: string[][] = [];
  const numbers: number[] = [];
  const rounded = new Set<number>();
  for (const [index, cells] of data.entries()) {
    const texts = cells.map(toText);
    const last = texts.findLastIndex((text) => text.trim() !== '');
    if (last === -1) continue;
    if (last >= maxColumns) throw tooManyColumns(index + 1);
    for (const [column, cell] of cells.entries()) {
      if (cell instanceof NumberCell && isRounded(cell)) rounded.add(rows.length * columnLimit + column);
    }
    rows.push(texts);
    numbers.push(index + 1);
  }
  return {
    name,
    rows,
    numbers: Uint32Array.from(numbers),
    isRounded: (row, column) => rounded.has(row * columnLimit + column),
  };
}

/** A spreadsheet calculates with doubles, and writes long ones with an exponent. */
function isRounded({ digits }: NumberCell): boolean {
  return /e/i.test(digits) || Math.abs(Number(digits)) > Number.MAX_SAFE_INTEGER;
}

function toText(cell: unknown): string {
  if (cell === null || cell === undefined) return '';
  // A fraction is written with all digits of the double, such as 0.10000000000000001.
  if (cell instanceof NumberCell) return isRounded(cell) ? cell.digits : String(Number(cell.digits));
  if (cell instanceof Date) return cell.toISOString().replace(/T00:00:00\.000Z$/, '');
  if (typeof cell === 'boolean') return cell ? 'TRUE' : 'FALSE';
  return String(cell);
}
