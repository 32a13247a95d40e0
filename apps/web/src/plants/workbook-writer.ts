import { strToU8, Zip, ZipDeflate } from 'fflate';

/** The maximum number of rows in an Excel sheet, including its header. */
const maxRows = 1_048_576;
/** The maximum length of a text in an Excel cell, in UTF-16 code units. */
const maxTextLength = 32_767;

const mainNamespace = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const relationshipsNamespace = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packageNamespace = 'http://schemas.openxmlformats.org/package/2006';
const mediaType = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** Returns the files of a workbook with one sheet, except the sheet itself. */
const parts = (sheet: string): Readonly<Record<string, string>> => ({
  '[Content_Types].xml': `<Types xmlns="${packageNamespace}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${mediaType}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${mediaType}.worksheet+xml"/></Types>`,
  '_rels/.rels': `<Relationships xmlns="${packageNamespace}/relationships"><Relationship Id="rId1" Type="${relationshipsNamespace}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `<workbook xmlns="${mainNamespace}" xmlns:r="${relationshipsNamespace}"><sheets><sheet name="${escapeXml(sheet)}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${packageNamespace}/relationships"><Relationship Id="rId1" Type="${relationshipsNamespace}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
});

/** Writes rows to a workbook one by one. */
export interface WorkbookWriter {
  /** @throws {Error} if there are too many rows, or a text is too long */
  writeRow(cells: readonly string[]): void;
  /** Compresses the rows since the last flush, to save memory. */
  flush(): void;
  end(): Blob;
}

/**
 * Creates an XLSX file with one sheet, whose first row stays in view. All cells are text, so that spreadsheets do not round IDs or
 * interpret texts as formulas, numbers, or dates.
 *
 * @param widths the column widths, in characters
 */
export function createWorkbook(sheet: string, widths: readonly number[]): WorkbookWriter {
  const compressed: BlobPart[] = [];
  const zip = new Zip((error, data) => {
    if (error) throw error;
    compressed.push(new Blob([Uint8Array.from(data)]));
  });
  const addFile = (path: string) => {
    const file = new ZipDeflate(path, { level: 6 });
    zip.add(file);
    return file;
  };
  for (const [path, text] of Object.entries(parts(sheet)))
    addFile(path).push(strToU8(declaration + text), true);
  const rows = addFile('xl/worksheets/sheet1.xml');
  const columns = widths.map(
    (width, index) => `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`,
  );
  let xml = `${declaration}<worksheet xmlns="${mainNamespace}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>${columns.join('')}</cols><sheetData>`;
  let count = 0;
  return {
    writeRow(cells) {
      if (++count > maxRows)
        throw new Error(
          `An Excel sheet can have at most ${(maxRows - 1).toLocaleString()} plants. Export them as CSV.`,
        );
      if (cells.some((text) => text.length > maxTextLength))
        throw new Error('A text is too long for an Excel cell. Export the plants as CSV.');
      xml += `<row r="${count}">${cells.map((text, index) => writeCell(text, nameColumn(index) + count)).join('')}</row>`;
    },
    flush() {
      rows.push(strToU8(xml));
      xml = '';
    },
    end() {
      rows.push(strToU8(`${xml}</sheetData></worksheet>`), true);
      zip.end();
      return new Blob(compressed, { type: `${mediaType}.sheet` });
    },
  };
}

function writeCell(text: string, address: string): string {
  if (text === '') return '';
  return `<c r="${address}" t="inlineStr"><is><t xml:space="preserve">${escapeXml(text)}</t></is></c>`;
}

/** Returns the name of a column by its index: `A` to `Z`, then `AA`, and so on. */
export function nameColumn(column: number): string {
  const letter = String.fromCharCode(65 + (column % 26));
  return column < 26 ? letter : nameColumn(Math.floor(column / 26) - 1) + letter;
}

/** Escapes a text. Characters that XML cannot contain become, for example, `_x000D_` (ECMA-376, part 1, section 22.9.2.19). */
export function escapeXml(text: string): string {
  return text
    .replace(/_(?=x[\da-f]{4}_)/gi, '_x005F_')
    .replace(/[\p{Cc}\ufffe\uffff]/gu, (character) =>
      '\t\n'.includes(character)
        ? character
        : `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
    )
    .replace(/[<>&"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
