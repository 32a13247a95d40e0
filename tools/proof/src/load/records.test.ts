import { INT64_MAX, INT64_MIN } from '@plant-store/contract';
import type { Kind } from '@plant-store/contract/resource';
import { expect, it } from 'vitest';
import { garden, newGardenSchema } from '../../../../packages/records/test/garden.js';
import { createRandom } from './random.js';
import {
  createConflict,
  createRecordSource,
  nameOf,
  parse,
  testedResources,
  toJson,
  toTestedResource,
} from './records.js';

const resource = toTestedResource(garden);
const createGarden = createRecordSource(createRandom(1), [resource]);
const records = Array.from({ length: 2_000 }, () => createGarden());

const isValid: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string' && value.isWellFormed() && !value.includes('\0'),
  int64: (value) => typeof value === 'bigint' && value >= INT64_MIN && value <= INT64_MAX,
  boolean: (value) => typeof value === 'boolean',
  time: (value) =>
    typeof value === 'string' && /^\d{4}-.{5}T.{12}Z$/.test(value) && !Number.isNaN(Date.parse(value)),
  int64List: (value) => Array.isArray(value) && value.every(isValid.int64),
};

it('generated records are valid, and cover each kind of value, including its limits', () => {
  for (const { id, fields } of records) {
    expect(resource.pick(newGardenSchema.safeParse({ id, ...fields }).data ?? {})).toEqual(fields);
    for (const [name, { kind, required }] of Object.entries(garden.fields))
      expect(fields[name] === undefined ? !required : isValid[kind](fields[name]), `${name} of ${id}`).toBe(
        true,
      );
  }
  const valuesOf = (name: string) => new Set(records.map(({ fields }) => fields[name]));
  for (const end of [INT64_MIN, INT64_MAX, 2n ** 53n + 1n, undefined])
    expect(valuesOf('area')).toContain(end);
  expect(valuesOf('isOpen').size).toBe(2);
  for (const end of ['0000-01-01T00:00:00.000Z', '1969-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'])
    expect(valuesOf('plantedAt')).toContain(end);
  expect(new Set(records.map(({ fields }) => `${fields['plantIds']}`)).size).toBeGreaterThan(1_000);
});

it('JSON keeps every digit', () => {
  for (const { id, fields } of records) {
    const { id: read, ...others } = parse(toJson({ id, ...fields }));
    expect(read).toBe(id);
    expect(resource.isSame(others as typeof fields, fields)).toBe(true);
  }
  expect([parse(''), parse('1'), parse('{"a":1.5}')]).toEqual([{}, {}, { a: 1.5 }]);
});

it('a conflict is another record under the same id', () => {
  const random = createRandom(2);
  for (const record of records) {
    const conflict = createConflict(record, random);
    expect(conflict.id).toBe(record.id);
    expect(resource.isSame(conflict.fields, record.fields)).toBe(false);
  }
});

it('a record has a unique id within its resource, and half of the ids are from records of another resource', () => {
  const create = createRecordSource(createRandom(3), [...testedResources.slice(0, 1), resource]);
  const all = Array.from({ length: 1_000 }, () => create());
  expect(new Set(all.map(nameOf)).size).toBe(all.length);
  const groups = [...Map.groupBy(all, ({ id }) => id).values()];
  expect(groups.filter((same) => same.length === 2).length).toBeGreaterThan(150);
});

it('the same seed creates the same records', () => {
  const create = createRecordSource(createRandom(1), [resource]);
  expect(records.slice(0, 10).map(({ id, fields }) => [id, fields])).toEqual(
    Array.from({ length: 10 }, () => create()).map(({ id, fields }) => [id, fields]),
  );
});
