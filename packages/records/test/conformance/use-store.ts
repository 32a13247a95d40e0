import { INT64_MAX, INT64_MIN } from '@plant-store/contract';
import { columnsOf } from '@plant-store/contract/columns';
import { fieldsOf, type Kind, type Resource } from '@plant-store/contract/resource';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll } from 'vitest';
import type { ListLimits, Store, Stored, Tombstone } from '../../src/index.js';

/** Fields of three records that differ: the first has all fields, and the last only those that are required. */
export type Samples<Fields> = readonly [Fields, Fields, Fields];

/** A store under test, and what the tests may do with it besides. */
export interface OpenStore<Fields> {
  readonly store: Store<Fields>;
  /** Removes all records and tombstones, so that every id is free again. Called after each test. */
  readonly empty: () => Promise<void>;
  /** Called after the last test. */
  readonly close?: () => Promise<void>;
  /** Makes all earlier positions of changes invalid, as restoring a backup does. Without it, that is not tested. */
  readonly invalidateCursors?: () => Promise<void>;
  /** Whether the store has an order of changes, and keeps what updates replace. Default: `true`. */
  readonly hasChanges?: boolean;
}

/** Limits that no test reaches by accident. */
export const highLimits: ListLimits = { matches: 1_000, bytes: 2 ** 22, durationMs: 60_000 };

export const stored = (addedAt: unknown) => ({ stored: true, addedAt });
export const taken = (existing: object) => ({ stored: false, existing });
export const tombstone = (id: bigint): Tombstone => ({ id, deleted: true });

export type Subject<Fields extends object> = ReturnType<typeof useStore<Fields>>;

/** Opens the store for the tests of the calling suite. */
export function useStore<Fields extends object>(
  resource: Resource,
  samples: Samples<Fields>,
  open: () => Promise<OpenStore<Fields>>,
) {
  let opened: OpenStore<Fields>;
  beforeAll(async () => {
    opened = await open();
  });
  afterEach(() => opened.empty());
  afterAll(() => opened.close?.());

  const fields = fieldsOf(resource);
  const { toColumn, isSame } = columnsOf<Fields>(resource);
  const searched = fields.find(([, { search }]) => search)?.[0];

  return {
    samples,
    fields,
    searched,
    toColumn,
    isSame,
    get opened() {
      return opened;
    },
    get store() {
      return opened.store;
    },
    /** A record with an id, and the fields of a sample. */
    record: (id: bigint, at: 0 | 1 | 2 = 2): Stored<Fields> => ({ ...samples[at], id }),
    /** A record with only the required fields, besides some others. */
    withFields: (id: bigint, others: object): Stored<Fields> => ({ ...samples[2], ...others, id }),
    /** Creates records at the same time. */
    createAll: (records: readonly Stored<Fields>[]) =>
      Promise.all(records.map((record) => opened.store.create(record))),
    /** Any fields that a record may have. */
    anyFields: fc.record(Object.fromEntries(fields.map(([name, { kind }]) => [name, anyOf[kind]])), {
      requiredKeys: fields.flatMap(([name, { required }]) => (required ? name : [])),
    }) as fc.Arbitrary<unknown> as fc.Arbitrary<Fields>,
  };
}

// Any code point but NUL and surrogates. `fc.string({ unit: 'binary' })` takes 7 seconds to be composed.
const anyPoint = fc.oneof(fc.integer({ min: 1, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }));
const anyInt64 = fc.oneof(
  fc.bigInt({ min: INT64_MIN, max: INT64_MAX }),
  fc.constantFrom(INT64_MIN, INT64_MAX, 0n, -1n, 9007199254740993n),
);
const anyOf: { readonly [Of in Kind]: fc.Arbitrary<unknown> } = {
  text: fc.array(anyPoint).map((points) => String.fromCodePoint(...points)),
  int64: anyInt64,
  boolean: fc.boolean(),
  time: fc
    .date({
      min: new Date('0000-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59.999Z'),
      noInvalidDate: true,
    })
    .map((date) => date.toISOString()),
  int64List: fc.array(anyInt64, { maxLength: 5 }),
};
