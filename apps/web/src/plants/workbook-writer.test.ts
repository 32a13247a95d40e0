import { strFromU8, unzipSync } from 'fflate';
import { expect, it } from 'vitest';
import { file, read } from '../import/worker/testing/read.js';
import { createWorkbook } from './workbook-writer.js';

const bytesOf = async (blob: Blob) => new Uint8Array(await blob.arrayBuffer());

it('writes each text so that the import reads it back exactly, even text that XML cannot contain or a spreadsheet would compute', async () => {
  const names = ['=1+1', '007', '<b> & "q"', 'a\u0007b\r\n\tc', '_x0041_', ' – spaces ', 'Ärger 🌱'];
  const workbook = createWorkbook('Plants', [24, 48]);
  workbook.writeRow(['id', 'name']);
  for (const [index, name] of names.entries()) {
    workbook.writeRow([`922337203685477580${index}`, name]);
    workbook.flush();
  }
  const bytes = await bytesOf(workbook.end());
  const { plants } = await read(file('plants.xlsx', bytes));
  expect(Object.values(plants)).toEqual(
    names.map((name, index) => ({ id: BigInt(`922337203685477580${index}`), name })),
  );
  const parts = unzipSync(bytes);
  const types = strFromU8(parts['[Content_Types].xml'] ?? new Uint8Array());
  // Excel requires a type for each part of a workbook.
  for (const path of Object.keys(parts).filter((each) => /^xl\/[^_]+\.xml$/.test(each)))
    expect(types).toContain(`PartName="/${path}"`);
});

it('reports what exceeds the limits of a workbook', () => {
  const workbook = createWorkbook('Plants', [24]);
  expect(() => workbook.writeRow(['x'.repeat(32_768)])).toThrow('Export the plants as CSV.');
  for (let row = 1; row < 1_048_576; row++) workbook.writeRow(['']);
  expect(() => workbook.writeRow([''])).toThrow(
    'An Excel sheet can have at most 1,048,575 plants. Export them as CSV.',
  );
});
