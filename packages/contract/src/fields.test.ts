import { expect, it } from 'vitest';
import { fieldsAfter, fieldsOf, hasSameFields } from './fields.js';
import { guardText, recordFormats, unguardText } from './record-format.js';

const rose = { id: 9_007_199_254_740_993n, name: 'Rose, "Peace"\n', tag: ' climber' };
const addedAt = '2026-11-25T10:00:00.000Z';

it('NDJSON has the exact id, and says of a time that it is not known', () => {
  expect(recordFormats.ndjson.write({ ...rose, addedAt })).toBe(
    String.raw`{"id":9007199254740993,"name":"Rose, \"Peace\"\n","tag":" climber","addedAt":"${addedAt}"}` +
      '\n',
  );
  expect(recordFormats.ndjson.write({ id: 1n, name: '' })).toBe('{"id":1,"name":"","addedAt":null}\n');
});

it('CSV names its columns and quotes what would be read as something else', () => {
  expect(recordFormats.csv.head).toBe('\uFEFFid,name,tag,addedAt\r\n');
  expect(recordFormats.csv.write({ ...rose, addedAt })).toBe(
    `9007199254740993,"Rose, ""Peace""\n"," climber",${addedAt}\r\n`,
  );
  expect(recordFormats.csv.write({ id: -1n, name: 'Boston fern' })).toBe('-1,Boston fern,,\r\n');
});

it('CSV has no text that a spreadsheet takes for a formula, whatever it splits cells at, and none is lost', () => {
  for (const [text, written] of [
    ['=HYPERLINK("https://example.com")', `"'=HYPERLINK(""https://example.com"")"`],
    ['＝1+1', "'＝1+1"],
    ["''-1", "'''-1"],
    ['\t=1', `"'\t'=1"`],
    ['Rose;"@x"; = y', `"Rose;'""@x"";' = y"`],
    ['Fern\n+x\r-y', `"Fern\n'+x\r'-y"`],
    ["'Peace' -1", "'Peace' -1"],
    ['Rose, -5 °C', '"Rose, -5 °C"'],
  ] as const)
    expect(recordFormats.csv.write({ id: -1n, name: text })).toBe(`-1,${written},,\r\n`);
  const characters = ["'", '=', '＋', '-', '@', '\t', '\r', '\n', ';', ',', '"', ' ', 'a'];
  let texts = [''];
  for (let length = 1; length <= 4; length++) {
    texts = texts.flatMap((text) => characters.map((character) => text + character));
    for (const text of texts) {
      const guarded = guardText(text);
      if (unguardText(guarded) !== text || /(?:^|[;\t\r\n])[\s"]*[=＋\-@]/.test(guarded))
        expect.fail(JSON.stringify({ text, guarded }));
    }
  }
});

it('plants are the same by their fields, of which an empty one is not an absent one', () => {
  expect(hasSameFields(rose, { ...rose, id: 1n } as typeof rose)).toBe(true);
  expect(hasSameFields({ name: 'Fern' }, { name: 'Fern', tag: undefined })).toBe(true);
  expect(hasSameFields({ name: 'Fern' }, { name: 'Fern', tag: '' })).toBe(false);
  expect(hasSameFields({ name: 'Fern' }, { name: 'fern' })).toBe(false);
});

it('the fields of a stored plant are those of a plant', () => {
  expect(fieldsOf({ ...rose, addedAt } as typeof rose)).toEqual({ name: rose.name, tag: rose.tag });
  expect(Object.keys(fieldsOf({ name: 'Fern', tag: undefined }))).toEqual(['name']);
});

it('tells which fields came after a version', () => {
  const fields = {
    name: { label: 'Name', required: true },
    light: { label: 'Light', required: false, since: '1.9' },
    location: { label: 'Location', required: false, since: '1.10' },
  };
  expect(['1.8', '1.9', '1.10', '2.0'].map((version) => fieldsAfter(version, fields))).toEqual([
    ['light', 'location'],
    ['location'],
    [],
    [],
  ]);
});
