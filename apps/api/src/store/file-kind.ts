import { closeSync, openSync, readSync } from 'node:fs';

/** What a file contains, as the end of a sentence, and how to import its records. */
export interface FileKind {
  readonly what: string;
  readonly advice: string;
}

const saveOrImport = 'Save it as CSV in UTF-8, or import it on the page.';
const openAndSave = 'Open it in a spreadsheet program, and save it as CSV in UTF-8.';
const retype = 'Type its text into a spreadsheet, and save that as CSV in UTF-8.';
const unpack = (command: string) => `Unpack it first: ${command}`;
const fromDatabase =
  'Either export it first (DATABASE_URL=file:/path plant-store export) or restore it (plant-store restore).';

/** The bytes that files of each kind begin with, as hexadecimal digits. */
const signatures: readonly (readonly [start: string, what: string, advice: string])[] = [
  ['504b0304', 'a workbook or a ZIP archive', saveOrImport],
  ['d0cf11e0a1b11ae1', 'a workbook in the old Excel format, or a password-protected workbook', openAndSave],
  ['1f8b', 'compressed with gzip', unpack('gunzip')],
  ['28b52ffd', 'compressed with Zstandard', unpack('unzstd')],
  ['425a68', 'compressed with bzip2', unpack('bunzip2')],
  ['fd377a585a00', 'compressed with xz', unpack('unxz')],
  [Buffer.from('SQLite format 3\0').toString('hex'), 'a SQLite database', fromDatabase],
  ['377f068', 'the -wal file of a SQLite database', 'Specify the database itself.'],
  [
    Buffer.from('PGDMP').toString('hex'),
    'a pg_dump archive',
    'Restore it with pg_restore, then export the database.',
  ],
  ['25504446', 'a PDF', 'Copy its table into a spreadsheet, and save that as CSV in UTF-8.'],
  ...['89504e47', 'ffd8ff', '47494638'].map((start) => [start, 'a picture', retype] as const),
];

/** How many bytes are enough to recognize a file. */
const sampleBytes = 512;

const markup = /^\s*<(!doctype|html|head|meta|table|\?xml|!--)/i;

/** Recognizes, by its first bytes, a file that another program wrote. Returns `undefined` for text and unknown files. */
export function recognizeFile(start: Uint8Array): FileKind | undefined {
  const bytes = Buffer.from(start.subarray(0, sampleBytes));
  const digits = bytes.toString('hex');
  const [, what, advice] = signatures.find(([signature]) => digits.startsWith(signature)) ?? [];
  if (what !== undefined && advice !== undefined) return { what, advice };
  if (!markup.test(bytes.toString('utf8'))) return undefined;
  return { what: 'a web page or XML', advice: openAndSave };
}

/**
 * Describes a file that is not a database: a known kind, text, or unknown. Returns `undefined` for a database, or if the file cannot be
 * read.
 */
export function describeNonDatabase(path: string): string | undefined {
  const bytes = Buffer.alloc(sampleBytes);
  let start: Buffer;
  try {
    const file = openSync(path, 'r');
    try {
      start = bytes.subarray(0, readSync(file, bytes, 0, sampleBytes, 0));
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
  const kind = recognizeFile(start)?.what;
  if (kind === 'a SQLite database') return undefined;
  // The sample can end in the middle of a character.
  const isText = !start.includes(0) && !start.toString('utf8').slice(0, -1).includes('\uFFFD');
  return kind ?? (isText ? 'text' : 'in an unknown format, possibly encrypted');
}
