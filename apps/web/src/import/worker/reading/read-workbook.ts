import { unzipSync } from 'fflate';
import { Parser } from 'saxen';
import type { Pacer } from '../pacer.js';
import { UnreadableFileError } from './decode-text.js';
import { Uint32List } from './index-lines.js';
import { maxColumns, type RecordIndex, tooManyColumns } from './index-records.js';
import { type NumberFormat, readNumberFormat, start1900Ms, start1904Ms } from './number-formats.js';

/** A sheet of a workbook as text: CSV with commas, a record for each row that is not blank. */
export interface Sheet {
  readonly name: string;
  /** Those that can be chosen: all that are not hidden. */
  readonly names: readonly string[];
  readonly text: string;
  readonly records: RecordIndex;
  /** What is hidden in it, and read all the same: how many rows, and the names of columns. */
  readonly hidden: { readonly rows: number; readonly columns: readonly string[] };
  /** Whether a cell is a number that the spreadsheet may have rounded. */
  isRounded(record: number, column: number): boolean;
}

/** What is unpacked, and the text of a sheet, in bytes and UTF-16 code units: a small file may have texts that repeat. */
const limits = { unpacked: 2 ** 30, text: 100 * 2 ** 20 };
const chunkBytes = 2 ** 17;

const unreadable = 'The workbook cannot be read. Save it again as XLSX, or as CSV in UTF-8.';
const tooLarge = 'The workbook is too large for this page. Save its sheet as CSV in UTF-8, and choose that.';

/**
 * Reads an XLSX file: the sheet of a name, otherwise the first one with anything in it that is not hidden. Texts are kept exactly;
 * of numbers, those that a double holds. Takes memory for the cells that are there, wherever they are.
 *
 * @throws {UnreadableFileError} when it is damaged, empty or too large, or a row has too many cells
 */
export async function readWorkbook(
  bytes: Uint8Array,
  chosen: string | undefined,
  pacer: Pacer,
): Promise<Sheet> {
  try {
    const workbook = await openWorkbook(bytes, pacer);
    const { sheets } = workbook;
    const names = sheets.map(({ name }) => name);
    for (const sheet of sheets.filter(({ name }) => chosen === undefined || name === chosen)) {
      const read = await readSheet(sheet, workbook, pacer);
      if (read.records.starts.length > 0 || chosen !== undefined) return { ...read, names };
    }
  } catch (cause) {
    if (cause instanceof UnreadableFileError || cause instanceof DOMException) throw cause;
    throw new UnreadableFileError(unreadable, { cause });
  }
  throw new UnreadableFileError('There are no lines in it. Choose a file with plants, or paste them.');
}

interface Workbook {
  readonly sheets: readonly { readonly name: string; readonly path: string }[];
  readonly texts: readonly string[];
  /** By the number of the style. */
  readonly formats: readonly (NumberFormat | undefined)[];
  unpack(path: string): Uint8Array;
}

async function openWorkbook(bytes: Uint8Array, pacer: Pacer): Promise<Workbook> {
  const unpack = (path: string) => {
    const isWanted = ({ name, originalSize }: { name: string; originalSize: number }) => {
      if (normalizePath(name) !== normalizePath(path)) return false;
      if (originalSize > limits.unpacked) throw new UnreadableFileError(tooLarge);
      return true;
    };
    return Object.values(unzipSync(bytes, { filter: isWanted }))[0] ?? new Uint8Array();
  };
  const readRelations = async (path: string) => {
    const folder = path.slice(0, path.lastIndexOf('/') + 1);
    const relations: { id: string; type: string; path: string }[] = [];
    await parseXml(unpack(`${folder}_rels/${path.slice(folder.length)}.rels`), pacer, {
      open(name, { Id = '', Type = '', Target = '' }) {
        const target = new URL(decodeEntities(Target).replaceAll('\\', '/'), `file:///${folder}`).pathname;
        if (name === 'Relationship')
          relations.push({ id: Id, type: Type.slice(Type.lastIndexOf('/') + 1), path: decodeURI(target) });
      },
    });
    return relations;
  };
  const root = (await readRelations('')).find(({ type }) => type === 'officeDocument');
  const path = normalizePath(root?.path ?? 'xl/workbook.xml');
  const relations = await readRelations(path);
  const all: { name: string; path: string; isHidden: boolean }[] = [];
  let startMs = start1900Ms;
  await parseXml(unpack(path), pacer, {
    open(tag, attributes) {
      if (tag === 'workbookPr' && isTrue(attributes['date1904'])) startMs = start1904Ms;
      const id = Object.entries(attributes).find(([key]) => /:id$/.test(key))?.[1];
      const target = relations.find((relation) => relation.id === id && relation.type === 'worksheet');
      if (tag !== 'sheet' || target === undefined) return;
      const { name = '', state = 'visible' } = attributes;
      all.push({ name: decodeEntities(name), path: target.path, isHidden: state !== 'visible' });
    },
  });
  if (all.length === 0) throw new Error('no sheets');
  const visible = all.filter(({ isHidden }) => !isHidden);
  const unpackPart = (type: string) =>
    unpack(relations.find((relation) => relation.type === type)?.path ?? '-');
  return {
    sheets: visible.length === 0 ? all : visible,
    texts: await readTexts(unpackPart('sharedStrings'), pacer),
    formats: await readFormats(unpackPart('styles'), startMs, pacer),
    unpack,
  };
}

async function readTexts(xml: Uint8Array, pacer: Pacer): Promise<readonly string[]> {
  const texts: string[] = [];
  let text = '';
  let isPhonetic = false;
  await parseXml(xml, pacer, {
    open(tag) {
      if (tag === 'si') text = '';
      else if (tag === 'rPh') isPhonetic = true;
    },
    close(tag, content) {
      if (tag === 't' && !isPhonetic) text += content;
      else if (tag === 'rPh') isPhonetic = false;
      else if (tag === 'si') texts.push(unescapeText(text));
    },
  });
  return texts;
}

async function readFormats(xml: Uint8Array, startMs: number, pacer: Pacer) {
  const codes = new Map<string, string>();
  const formats: (NumberFormat | undefined)[] = [];
  let isOfCells = false;
  await parseXml(xml, pacer, {
    open(tag, { numFmtId = '0', formatCode = '' }) {
      if (tag === 'numFmt') codes.set(numFmtId, decodeEntities(formatCode));
      else if (tag === 'cellXfs') isOfCells = true;
      else if (tag === 'xf' && isOfCells)
        formats.push(readNumberFormat(Number(numFmtId), codes.get(numFmtId), startMs));
    },
    close(tag) {
      if (tag === 'cellXfs') isOfCells = false;
    },
  });
  return formats;
}

async function readSheet({ name, path }: Workbook['sheets'][number], workbook: Workbook, pacer: Pacer) {
  const rows = new SheetText();
  const hiddenColumns: (readonly [min: number, max: number])[] = [];
  let cell: Readonly<Record<string, string>> = {};
  let text = '';
  let isPhonetic = false;
  let isHiddenRow = false;
  let hiddenRows = 0;
  let row = 0;
  let column = -1;
  await parseXml(workbook.unpack(path), pacer, {
    open(tag, attributes) {
      if (tag === 'col' && isTrue(attributes['hidden'])) {
        const { min = '1', max = min } = attributes;
        hiddenColumns.push([Number(min), Number(max)]);
      } else if (tag === 'row') {
        row = Number(attributes['r'] ?? row + 1);
        isHiddenRow = isTrue(attributes['hidden']);
        column = -1;
      } else if (tag === 'c') {
        cell = attributes;
        text = '';
        column = cell['r'] === undefined ? column + 1 : readColumn(cell['r']);
      } else if (tag === 'rPh') isPhonetic = true;
    },
    close(tag, content) {
      if (tag === 'v' || (tag === 't' && !isPhonetic)) text += content;
      else if (tag === 'rPh') isPhonetic = false;
      else if (tag === 'c') {
        const { shown, isRounded = false } = showCell(cell, text, workbook);
        rows.addCell(row, column, shown, isRounded);
      } else if (tag === 'row' && rows.endRow(row) && isHiddenRow) hiddenRows++;
    },
  });
  const isHidden = (number: number) => hiddenColumns.some(([min, max]) => min <= number && number <= max);
  const columns = [...rows.columns].map((place) => place + 1).sort((a, b) => a - b);
  const hidden = { rows: hiddenRows, columns: columns.filter(isHidden).map(nameColumn) };
  return { name, ...rows.build(), hidden };
}

/** The text of a cell (ECMA-376, part 1, section 18.18.11). */
function showCell({ t, s }: Readonly<Record<string, string>>, text: string, { texts, formats }: Workbook) {
  if (t === 's') return { shown: texts[Number(text || -1)] ?? '' };
  if (t === 'b') return { shown: text === '' ? '' : isTrue(text) ? 'TRUE' : 'FALSE' };
  if (t === 'd') return { shown: text.replace(/T00:00(:00(\.0+)?)?Z?$/, '').replace('T', ' ') };
  if (t !== undefined && t !== 'n') return { shown: unescapeText(text) };
  const value = Number(text);
  if (text.trim() === '' || Number.isNaN(value)) return { shown: text };
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return { shown: text.trim(), isRounded: true };
  // A spreadsheet shows 15 digits of a double, and writes all of them, such as 0.10000000000000001.
  const digits = String(Number.isInteger(value) ? value : Number(value.toPrecision(15)));
  return { shown: formats[Number(s ?? 0)]?.(digits) ?? digits };
}

/** More than a sheet has columns. */
const columnLimit = 2 ** 15;

/** The text of a sheet, as it is read. */
class SheetText {
  /** Those with anything in them. */
  readonly columns = new Set<number>();
  readonly #parts: string[] = [];
  #length = 0;
  #row: [column: number, text: string][] = [];
  readonly #starts = new Uint32List();
  readonly #ends = new Uint32List();
  readonly #numbers = new Uint32List();
  readonly #rounded = new Set<number>();

  addCell(row: number, column: number, text: string, isRounded: boolean): void {
    if (text.trim() === '') return;
    if (this.#row.push([column, text]) > maxColumns) throw tooManyColumns(row);
    this.columns.add(column);
    if (isRounded) this.#rounded.add(this.#starts.length * columnLimit + column);
  }

  /** Whether there was anything in it. */
  endRow(row: number): boolean {
    if (this.#row.length === 0) return false;
    let last = 0;
    let text = '';
    for (const [column, cell] of this.#row.sort(([a], [b]) => a - b)) {
      text += ','.repeat(column - last);
      text += /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
      last = column;
    }
    this.#row = [];
    this.#starts.push(this.#length);
    this.#length += text.length + 1;
    if (this.#length > limits.text) throw new UnreadableFileError(tooLarge);
    this.#ends.push(this.#length - 1);
    this.#numbers.push(row);
    this.#parts.push(text);
    return true;
  }

  build() {
    const rounded = this.#rounded;
    return {
      text: this.#parts.join('\n'),
      records: {
        starts: this.#starts.toArray(),
        ends: this.#ends.toArray(),
        lines: this.#numbers.toArray(),
        malformed: new Set<number>(),
      },
      isRounded: (record: number, column: number) => rounded.has(record * columnLimit + column),
    };
  }
}

interface XmlListener {
  /** @param tag its name without a prefix */
  open?(tag: string, attributes: Readonly<Record<string, string>>): void;
  /** @param content the text directly in it */
  close?(tag: string, content: string): void;
}

/** Parses XML in parts; an element that has text has nothing else. */
async function parseXml(bytes: Uint8Array, pacer: Pacer, { open, close }: XmlListener): Promise<void> {
  if (bytes.length === 0) return;
  let text = '';
  const parser = new Parser()
    .on('openTag', (name, readAttributes) => {
      text = '';
      open?.(withoutPrefix(name), readAttributes());
    })
    .on('text', (part) => {
      text += decodeEntities(part);
    })
    .on('cdata', (part) => {
      text += part;
    })
    .on('closeTag', (name) => {
      close?.(withoutPrefix(name), text);
      text = '';
    });
  const decoder = new TextDecoder();
  for (let from = 0; from < bytes.length; from += chunkBytes) {
    parser.write(decoder.decode(bytes.subarray(from, from + chunkBytes), { stream: true }));
    await pacer.pass(from / bytes.length);
  }
  parser.write(decoder.decode()).end();
}

const entities: Readonly<Record<string, string>> = { amp: '&', apos: "'", gt: '>', lt: '<', quot: '"' };

/** Not by the parser, which breaks characters beyond U+FFFF. */
function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal, hexadecimal, name) => {
    if (name !== undefined) return entities[name] ?? whole;
    return String.fromCodePoint(decimal === undefined ? Number.parseInt(hexadecimal, 16) : Number(decimal));
  });
}

/** Characters that XML cannot have are written as `_x000D_` (ECMA-376, part 1, section 22.9.2.19). */
function unescapeText(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(/_x([\da-f]{4})_/gi, (_, digits) => String.fromCharCode(Number.parseInt(digits, 16)));
}

const withoutPrefix = (name: string) => name.slice(name.indexOf(':') + 1);
const isTrue = (text = '') => text === '1' || text === 'true';
const normalizePath = (path: string) => path.replaceAll('\\', '/').replace(/^\//, '').toLowerCase();

/** The place of a column, from 0 on, by the address of a cell, such as `AB7`. */
function readColumn(address: string): number {
  const [letters = ''] = /^[a-z]+/i.exec(address) ?? [];
  return [...letters.toUpperCase()].reduce((place, letter) => place * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

/** `A` for 1, `Z` for 26, `AA` for 27. */
function nameColumn(number: number): string {
  const letter = String.fromCharCode(65 + ((number - 1) % 26));
  return number <= 26 ? letter : nameColumn(Math.floor((number - 1) / 26)) + letter;
}
