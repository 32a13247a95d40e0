/** The text of a file, and how its bytes were read. */
export interface DecodedText {
  readonly text: string;
  readonly encoding: 'UTF-8' | 'UTF-16' | 'Windows-1252';
  readonly hasByteOrderMark: boolean;
}

/** The person chose something that cannot be read as plants; the message is for them, and states what to do. */
export class UnreadableFileError extends Error {
  override get name(): 'UnreadableFileError' {
    return 'UnreadableFileError';
  }
}

/** What files of other kinds begin with, as hexadecimal digits, and what to do with them. */
const signatures: readonly (readonly [start: string, advice: string])[] = [
  ['504b0304', 'This is an archive, or an OpenDocument workbook. Save it as XLSX, or as CSV in UTF-8.'],
  [
    'd0cf11e0',
    'This is an Excel workbook of the old format, or one with a password. Save it as XLSX without one, or as CSV in UTF-8.',
  ],
  ['1f8b', 'This file is compressed. Unpack it first.'],
  ['25504446', 'This is a PDF. Export its table as CSV.'],
];

/**
 * Decodes a file: UTF-8, UTF-16 with a byte order mark or recognizable without, otherwise Windows-1252, in which
 * spreadsheets of Windows still write CSV. No byte order mark is left in the text.
 *
 * @throws {UnreadableFileError} when the bytes are those of an old workbook, an archive or a PDF
 */
export function decodeText(bytes: Uint8Array): DecodedText {
  const start = Array.from(bytes.subarray(0, 4), (byte) => byte.toString(16).padStart(2, '0')).join('');
  const advice = signatures.find(([signature]) => start.startsWith(signature))?.[1];
  if (advice !== undefined) throw new UnreadableFileError(advice);
  if (start.startsWith('fffe')) return decodeUtf16(bytes, 'utf-16le', true);
  if (start.startsWith('feff')) return decodeUtf16(bytes, 'utf-16be', true);
  if (/^(?!00)..00(?!00)..00$/.test(start)) return decodeUtf16(bytes, 'utf-16le', false);
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { text, encoding: 'UTF-8', hasByteOrderMark: start.startsWith('efbbbf') };
  } catch {
    const text = new TextDecoder('windows-1252').decode(bytes);
    return { text, encoding: 'Windows-1252', hasByteOrderMark: false };
  }
}

function decodeUtf16(bytes: Uint8Array, label: string, hasByteOrderMark: boolean): DecodedText {
  return { text: new TextDecoder(label).decode(bytes), encoding: 'UTF-16', hasByteOrderMark };
}
