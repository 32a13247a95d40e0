import { strToU8, zipSync } from 'fflate';
import { escapeXml, nameColumn } from '../src/plants/workbook-writer.js';

/** A cell of a workbook: a text, or a number as its digits. */
export type Cell = string | { readonly number: string } | undefined;

/** Writes an XLSX file of some sheets: the least that a spreadsheet opens. */
export function writeWorkbook(sheets: Readonly<Record<string, readonly (readonly Cell[])[]>>) {
  const names = Object.keys(sheets);
  const each = (write: (name: string, number: number) => string) =>
    names.map((name, index) => write(name, index + 1)).join('');
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const files = {
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${relations}"><sheets>${each(
      (name, n) => `<sheet name="${escapeXml(name)}" sheetId="${n}" r:id="rId${n}"/>`,
    )}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${each(
      (_, n) =>
        `<Relationship Id="rId${n}" Type="${relations}/worksheet" Target="worksheets/sheet${n}.xml"/>`,
    )}</Relationships>`,
    ...Object.fromEntries(
      names.map((name, index) => [
        `xl/worksheets/sheet${index + 1}.xml`,
        `<worksheet xmlns="${main}"><sheetData>${(sheets[name] ?? []).map(writeRow).join('')}</sheetData></worksheet>`,
      ]),
    ),
  };
  return zipSync(Object.fromEntries(Object.entries(files).map(([path, text]) => [path, strToU8(text)])));
}

function writeRow(cells: readonly Cell[], index: number): string {
  const row = index + 1;
  return `<row r="${row}">${cells.map((cell, column) => writeCell(cell, `${nameColumn(column)}${row}`)).join('')}</row>`;
}

function writeCell(cell: Cell, address: string): string {
  if (cell === undefined) return '';
  if (typeof cell === 'object') return `<c r="${address}"><v>${cell.number}</v></c>`;
  return `<c r="${address}" t="inlineStr"><is><t xml:space="preserve">${escapeXml(cell)}</t></is></c>`;
}
