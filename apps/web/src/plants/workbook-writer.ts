import { strToU8, Zip, ZipDeflate } from 'fflate';

/** The maximum rows of a sheet, including its header, and the longest text of a cell, in UTF-16 code units (ECMA-376; Excel's limits). */
const limits = { rows: 1_048_576, text: 32_767 };

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const document = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packaged = 'http://schemas.openxmlformats.org/package/2006';
const media = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** The parts of a workbook with one sheet, besides that sheet. */
const parts = (sheet: string): Readonly<Record<string, string>> => ({
  '[Content_Types].xml': `<Types xmlns="${packaged}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${media}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${media}.worksheet+xml"/></Types>`,
  '_rels/.rels': `<Relationships xmlns="${packaged}/relationships"><Relationship Id="rId1" Type="${document}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${document}"><sheets><sheet name="${escapeXml(sheet)}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${packaged}/relationships"><Relationship Id="rId1" Type="${document}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
});

/** Writes rows to a workbook as they come. */
export interface WorkbookWriter {
  /** @throws {Error} when the row, or one of its texts, exceeds the limits of a workbook */
  writeRow(cells: readonly string[]): void;
  /** Compresses the rows written since the last flush, so that they take little memory. */
  flush(): void;
  end(): Blob;
}

/**
 * Opens an XLSX file with one sheet, whose first row stays in view. All cells are text, so that a spreadsheet does not round ids, or
 * interpret texts as formulas, numbers, or dates.
 *
 * @param widths of the columns, in characters
 */
export function openWorkbook(sheet: string, widths: readonly number[]): WorkbookWriter {
  const compressed: BlobPart[] = [];
  const zip = new Zip((error, data) => {
    if (error) throw error;
    compressed.push(new Blob([Uint8Array.from(data)]));
  });
  const open = (path: string) => {
    const file = new ZipDeflate(path, { level: 6 });
    zip.add(file);
    return file;
  };
  for (const [path, text] of Object.entries(parts(sheet))) open(path).push(strToU8(declaration + text), true);
  const rows = open('xl/worksheets/sheet1.xml');
  const columns = widths.map(
    (width, index) => `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`,
  );
  let xml = `${declaration}<worksheet xmlns="${main}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>${columns.join('')}</cols><sheetData>`;
  let count = 0;
  return {
    writeRow(cells) {
      if (++count > limits.rows)
        throw new Error(
          `An Excel sheet can have at most ${(limits.rows - 1).toLocaleString()} plants. Export them as CSV.`,
        );
      if (cells.some((text) => text.length > limits.text))
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
      return new Blob(compressed, { type: `${media}.sheet` });
    },
  };
}

function writeCell(text: string, address: string): string {
  if (text === '') return '';
  return `<c r="${address}" t="inlineStr"><is><t xml:space="preserve">${escapeXml(text)}</t></is></c>`;
}

/** `A` to `Z`, then `AA` and so on. */
export function nameColumn(column: number): string {
  const letter = String.fromCharCode(65 + (column % 26));
  return column < 26 ? letter : nameColumn(Math.floor(column / 26) - 1) + letter;
}

/** Escapes a text; characters that XML cannot have are written as `_x000D_` (ECMA-376, part 1, section 22.9.2.19). */
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
