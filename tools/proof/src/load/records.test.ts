import { INT64_MAX, INT64_MIN } from '@plant-store/contract';
import type { Kind } from '@plant-store/contract/resource';
import { expect, it } from 'vitest';
import { garden, newGardenSchema } from '../../../../packages/records/test/garden.js';
import { createRandom } from './random.js';
import { createRecordSource, toTestedResource } from './records.js';

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
