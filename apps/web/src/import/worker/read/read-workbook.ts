import { unzipSync } from 'fflate';
import { Parser } from 'saxen';
import { nameColumn } from '../../../plants/workbook-writer.js';
import { UnreadableFileError } from './file-kinds.js';
import { type NumberFormat, readNumberFormat, start1900Ms, start1904Ms } from './number-formats.js';
import { maxColumns, maxRows, type Row, tooManyRowsError } from './read-rows.js';

/** A sheet of a workbook, without blank rows. */
export interface Sheet {
  readonly name: string;
  /** The sheets that can be chosen: the visible ones, or all if none is visible. */
  readonly names: readonly string[];
  readonly rows: readonly Row[];
  /** The number of hidden rows, and the names of hidden columns, such as `AB`. They are read, too. */
  readonly hidden: { readonly rows: number; readonly columns: readonly string[] };
}

/** The maximum unpacked size of each file in the archive. */
const maxUnpackedBytes = 2 ** 28;
/** The maximum total length of a sheet's texts, in UTF-16 code units. A small file can repeat a text many times. */
const maxSheetLength = 100 * 2 ** 20;

const unreadable =
  'The workbook cannot be read. Open it in Excel, choose Save As, then .xlsx, and choose that file.';
const tooLarge =
  'The workbook is too large for this page. Save the sheet with the plants as a separate workbook, and choose that workbook.';

/**
 * Reads one sheet of an XLSX file: the chosen one, or else the first visible one that is not empty. Texts are exact, and so are whole
 * numbers below 2^53. A stray cell far from the others needs little memory.
 *
 * @throws {UnreadableFileError} if the file is damaged, empty, or too large
 */
export function readWorkbook(bytes: Uint8Array, chosen: string | undefined): Sheet {
  try {
    const workbook = openWorkbook(bytes);
    const { sheets } = workbook;
    const names = sheets.map(({ name }) => name);
    for (const sheet of sheets.filter(({ name }) => chosen === undefined || name === chosen)) {
      const read = readSheet(sheet, workbook);
      if (read.rows.length > 0 || chosen !== undefined) return { ...read, names };
    }
  } catch (cause) {
    if (cause instanceof UnreadableFileError) throw cause;
    throw new UnreadableFileError(unreadable, { cause });
  }
  throw new UnreadableFileError(
    'There are no lines to import. Choose a file with plants, or paste the lines.',
  );
}

interface Workbook {
  readonly sheets: readonly { readonly name: string; readonly path: string }[];
  readonly texts: readonly string[];
  /** The number formats, by style index. */
  readonly formats: readonly (NumberFormat | undefined)[];
  /** Unpacks a file of the archive. Returns no bytes if there is no such file. */
  unpack(path: string): Uint8Array;
}

function openWorkbook(bytes: Uint8Array): Workbook {
  const unpack = (path: string) => {
    const isWanted = ({ name, originalSize }: { name: string; originalSize: number }) => {
      if (normalizePath(name) !== normalizePath(path)) return false;
      if (originalSize > maxUnpackedBytes) throw new UnreadableFileError(tooLarge);
      return true;
    };
    return Object.values(unzipSync(bytes, { filter: isWanted }))[0] ?? new Uint8Array();
  };
  const readRelations = (path: string) => {
    const folder = path.slice(0, path.lastIndexOf('/') + 1);
    const relations: { id: string; type: string; path: string }[] = [];
    parseXml(unpack(`${folder}_rels/${path.slice(folder.length)}.rels`), {
      open(name, { Id = '', Type = '', Target = '' }) {
        const target = new URL(decodeEntities(Target).replaceAll('\\', '/'), `file:///${folder}`).pathname;
        if (name === 'Relationship')
          relations.push({ id: Id, type: Type.slice(Type.lastIndexOf('/') + 1), path: decodeURI(target) });
      },
    });
    return relations;
  };
  const root = readRelations('').find(({ type }) => type === 'officeDocument');
  const path = normalizePath(root?.path ?? 'xl/workbook.xml');
  const relations = readRelations(path);
  const all: { name: string; path: string; isHidden: boolean }[] = [];
  let startMs = start1900Ms;
  parseXml(unpack(path), {
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
    texts: readTexts(unpackPart('sharedStrings')),
    formats: readFormats(unpackPart('styles'), startMs),
    unpack,
  };
}

/** Reads the texts to which cells refer by index. */
function readTexts(xml: Uint8Array): readonly string[] {
  const texts: string[] = [];
  let text = '';
  parseXml(xml, {
    close(tag, content) {
      if (tag === 't') text += content;
      if (tag !== 'si') return;
      texts.push(unescapeText(text));
      text = '';
    },
  });
  return texts;
}

function readFormats(xml: Uint8Array, startMs: number) {
  const codes = new Map<string, string>();
  const formats: (NumberFormat | undefined)[] = [];
  let isInCellFormats = false;
  parseXml(xml, {
    open(tag, { numFmtId = '0', formatCode = '' }) {
      if (tag === 'numFmt') codes.set(numFmtId, decodeEntities(formatCode));
      else if (tag === 'cellXfs') isInCellFormats = true;
      else if (tag === 'xf' && isInCellFormats)
        formats.push(readNumberFormat(Number(numFmtId), codes.get(numFmtId), startMs));
    },
    close(tag) {
      if (tag === 'cellXfs') isInCellFormats = false;
    },
  });
  return formats;
}

function readSheet({ name, path }: Workbook['sheets'][number], workbook: Workbook) {
  const rows: Row[] = [];
  const hiddenColumns: (readonly [min: number, max: number])[] = [];
  const filled = new Set<number>();
  let cell: Readonly<Record<string, string>> = {};
  let text = '';
  let isHiddenRow = false;
  let hiddenRows = 0;
  let totalLength = 0;
  let line = 0;
  let column = -1;
  let cells: string[] = [];
  let rounded: number[] = [];
  parseXml(workbook.unpack(path), {
    open(tag, attributes) {
      if (tag === 'col' && isTrue(attributes['hidden'])) {
        const { min = '1', max = min } = attributes;
        hiddenColumns.push([Number(min), Number(max)]);
      } else if (tag === 'row') {
        line = Number(attributes['r'] ?? line + 1);
        isHiddenRow = isTrue(attributes['hidden']);
        [column, cells, rounded] = [-1, [], []];
      } else if (tag === 'c') {
        cell = attributes;
        text = '';
        column = cell['r'] === undefined ? column + 1 : readColumn(cell['r']);
      }
    },
    close(tag, content) {
      if (tag === 'v' || tag === 't') text += content;
      else if (tag === 'c') {
        const { shown, isRounded } = showCell(cell, text, workbook);
        if (shown.trim() === '') return;
        totalLength += shown.length;
        if (totalLength > maxSheetLength) throw new UnreadableFileError(tooLarge);
        // Cells beyond the column limit are kept side by side, because only their number matters.
        const index = column < maxColumns ? column : Math.max(maxColumns, cells.length);
        while (cells.length < index) cells.push('');
        cells[index] = shown;
        filled.add(column);
        if (isRounded) rounded.push(index);
      } else if (tag === 'row' && cells.length > 0) {
        rows.push(rounded.length > 0 ? { line, cells, rounded } : { line, cells });
        if (rows.length > maxRows + 1) throw tooManyRowsError();
        if (isHiddenRow) hiddenRows++;
      }
    },
  });
  const isHidden = (index: number) => hiddenColumns.some(([min, max]) => min <= index + 1 && index < max);
  const columns = [...filled].sort((a, b) => a - b);
  return {
    name,
    rows,
    hidden: { rows: hiddenRows, columns: columns.filter(isHidden).map((index) => nameColumn(index)) },
  };
}

/** Returns the text that a cell shows, by its type `t` and style `s` (ECMA-376, part 1, section 18.18.11). */
function showCell({ t, s }: Readonly<Record<string, string>>, text: string, { texts, formats }: Workbook) {
  if (t === 's') return { shown: texts[Number(text || -1)] ?? '' };
  if (t === 'b') return { shown: text === '' ? '' : isTrue(text) ? 'TRUE' : 'FALSE' };
  if (t === 'd') return { shown: text.replace(/T00:00(:00(\.0+)?)?Z?$/, '').replace('T', ' ') };
  if (t !== undefined && t !== 'n') return { shown: unescapeText(text) };
  const value = Number(text);
  if (text.trim() === '' || Number.isNaN(value)) return { shown: text };
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return { shown: text.trim(), isRounded: true };
  // A spreadsheet displays 15 digits of a double, but stores all of them, such as 0.10000000000000001.
  const digits = String(Number.isInteger(value) ? value : Number(value.toPrecision(15)));
  return { shown: formats[Number(s ?? 0)]?.(digits) ?? digits };
}

interface XmlListener {
  /** @param tag the name without its prefix */
  open?(tag: string, attributes: Readonly<Record<string, string>>): void;
  /** @param content the text of the element, without its children */
  close?(tag: string, content: string): void;
}

/** Parses XML whose elements have either text or child elements. Ignores phonetic texts. */
function parseXml(bytes: Uint8Array, { open, close }: XmlListener): void {
  if (bytes.length === 0) return;
  let text = '';
  let isPhonetic = false;
  const parser = new Parser()
    .on('openTag', (name, readAttributes) => {
      text = '';
      const tag = withoutPrefix(name);
      if (tag === 'rPh') isPhonetic = true;
      else open?.(tag, readAttributes());
    })
    .on('text', (part) => {
      text += decodeEntities(part);
    })
    .on('cdata', (part) => {
      text += part;
    })
    .on('closeTag', (name) => {
      const tag = withoutPrefix(name);
      if (tag === 'rPh') isPhonetic = false;
      else if (!isPhonetic) close?.(tag, text);
      text = '';
    });
  parser.write(new TextDecoder().decode(bytes)).end();
}

const entities: Readonly<Record<string, string>> = { amp: '&', apos: "'", gt: '>', lt: '<', quot: '"' };

/** Decodes XML entities. The parser's own decoder breaks characters beyond U+FFFF. */
function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal, hexadecimal, name) => {
    if (name !== undefined) return entities[name] ?? whole;
    return String.fromCodePoint(decimal === undefined ? Number.parseInt(hexadecimal, 16) : Number(decimal));
  });
}

/** Unescapes characters that XML cannot contain, such as `_x000D_` (ECMA-376, part 1, section 22.9.2.19). */
function unescapeText(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(/_x([\da-f]{4})_/gi, (_, digits) => String.fromCharCode(Number.parseInt(digits, 16)));
}

const withoutPrefix = (name: string) => name.slice(name.indexOf(':') + 1);
const isTrue = (text = '') => text === '1' || text === 'true';
const normalizePath = (path: string) => path.replaceAll('\\', '/').replace(/^\//, '').toLowerCase();

/** Returns the column index, from 0, in a cell address such as `AB7`. */
function readColumn(address: string): number {
  const [letters = ''] = /^[a-z]+/i.exec(address) ?? [];
  return [...letters.toUpperCase()].reduce((index, letter) => index * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}
