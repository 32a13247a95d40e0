/** Thrown if the source cannot be imported. The message tells the person what to do. */
export class UnreadableFileError extends Error {
  override get name(): 'UnreadableFileError' {
    return 'UnreadableFileError';
  }
}

const saveAsXlsx = 'In Excel, choose Save As, then .xlsx.';
const packed = 'This file is compressed. Extract it first, then choose the file inside.';

/** File formats that cannot be imported: their first bytes, in hexadecimal, and what to do instead. */
const signatures: readonly (readonly [start: RegExp, advice: string])[] = [
  [/^09(00|02|04|08)0[46-8]00/, `This is a very old Excel workbook. ${saveAsXlsx}`],
  [/^(1f8b|377abcaf|52617221|425a68)/, packed],
  [/^25504446/, 'This is a PDF. Copy its table into a spreadsheet, save it as .xlsx, and choose that file.'],
  [
    /^(89504e47|ffd8ff|47494638|49492a00|4d4d002a|52494646.{8}57454250|.{8}66747970(68656963|61766966))/,
    'This is an image. Type its text into a spreadsheet, or paste the lines below.',
  ],
  [/^7b5c727466/, 'This is a text document (.rtf). Copy its table, and paste it below.'],
];

/** ZIP-based formats that cannot be imported: a text that such an archive contains, and what to do instead. */
const archives: readonly (readonly [marker: string, advice: string])[] = [
  ['xl/workbook.bin', `This is a binary Excel workbook (.xlsb). ${saveAsXlsx}`],
  [
    'opendocument.spreadsheet',
    'This is an OpenDocument spreadsheet (.ods). In LibreOffice, choose Save As, then Excel (.xlsx).',
  ],
  ['.iwa', 'This is a Numbers document. In Numbers, choose File, Export To, then Excel.'],
  ['word/document.xml', 'This is a Word document. Copy its table, and paste it below.'],
];

/** How many bytes at the end of an archive are searched for its list of files. */
const archiveListBytes = 65_536;

const extensionOf = (fileName: string) => /\.[^.]*$/.exec(fileName)?.[0].toLowerCase() ?? '';
const isWorkbookName = (fileName: string) => ['.xlsx', '.xlsm'].includes(extensionOf(fileName));
const decodeBytes = (bytes: Uint8Array) => new TextDecoder('latin1').decode(bytes);

/**
 * Returns `true` for a readable workbook, and `false` for text, judging by the content. The name matters only for an unknown ZIP archive.
 *
 * @throws {UnreadableFileError} if the file has another format
 */
export function isWorkbook(bytes: Uint8Array, fileName: string): boolean {
  const start = Array.from(bytes.subarray(0, 12), (byte) => byte.toString(16).padStart(2, '0')).join('');
  if (start.startsWith('504b0304')) {
    const list = decodeBytes(bytes.subarray(0, 100)) + decodeBytes(bytes.subarray(-archiveListBytes));
    if (list.includes('xl/workbook.xml')) return true;
    const advice = archives.find(([marker]) => list.includes(marker))?.[1];
    if (advice === undefined && isWorkbookName(fileName)) return true;
    throw new UnreadableFileError(advice ?? packed);
  }
  if (start.startsWith('d0cf11e0')) {
    const has = (stream: string) => decodeBytes(bytes).includes([...stream].join('\0'));
    if (has('EncryptedPackage'))
      throw new UnreadableFileError(
        'This workbook has a password. In Excel, save a copy without a password, and choose the copy.',
      );
    if (has('WordDocument'))
      throw new UnreadableFileError('This is a Word document. Copy its table, and paste it below.');
    throw new UnreadableFileError(`This is an old Excel workbook (.xls). ${saveAsXlsx}`);
  }
  const advice = signatures.find(([signature]) => signature.test(start))?.[1];
  if (advice !== undefined) throw new UnreadableFileError(advice);
  return false;
}

/** How much of a text is checked, in characters. */
const sampleLength = 4_096;
/** The maximum share of control and replacement characters in a text. */
const maxStrangeShare = 0.1;

/**
 * Checks that a text could be a table or JSON.
 *
 * @throws {UnreadableFileError} for a web page, XML, and bytes that are not text
 */
export function requirePlainText(text: string, fileName: string | undefined): void {
  const start = text.slice(0, sampleLength).trimStart();
  if (/^<\?xml|^<(\w+:)?workbook/i.test(start))
    throw new UnreadableFileError(
      `This is an ${/spreadsheet/i.test(start) ? 'Excel 2003 XML workbook' : 'XML file'}. Open it in Excel. ${saveAsXlsx}`,
    );
  if (/^<(!doctype|html|head|body|meta|style|table|!--)/i.test(start)) {
    const named =
      isWorkbookName(fileName ?? '') || extensionOf(fileName ?? '') === '.xls'
        ? ' with a workbook extension'
        : '';
    throw new UnreadableFileError(
      `This is a web page${named}. Open it in Excel, choose Save As, then .xlsx.`,
    );
  }
  // A few control characters or wrong letters do not make a text unreadable.
  const strange = start.match(/[^\P{Cc}\t\r\n]|\ufffd/gu)?.length ?? 0;
  if (strange > maxStrangeShare * start.length)
    throw new UnreadableFileError('This file is not a table. Choose a spreadsheet (.xlsx) or a CSV file.');
}

/** Returns a note if the extension does not match the content. */
export function noteMismatch(fileName: string, kind: 'workbook' | 'table' | 'objects'): readonly string[] {
  const extension = extensionOf(fileName);
  const isNamed = (...extensions: readonly string[]) => extensions.includes(extension);
  const named = `The file has the extension ${extension}, but it is`;
  if (kind === 'workbook')
    return isWorkbookName(fileName) || extension === ''
      ? []
      : [`${named} an Excel workbook. It was read as a workbook.`];
  if (isNamed('.xlsx', '.xlsm', '.xls', '.ods', '.numbers'))
    return [`${named} plain text. It was read as ${kind === 'table' ? 'a text table' : 'JSON objects'}.`];
  return kind === 'objects' && isNamed('.csv', '.tsv', '.tab')
    ? [`${named} JSON. It was read as JSON objects.`]
    : [];
}
