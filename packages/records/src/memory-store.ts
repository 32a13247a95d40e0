import { INT64_MIN } from '@plant-store/contract';
import { columnsOf } from '@plant-store/contract/columns';
import { foldText, hasText } from '@plant-store/contract/fold-text';
import { messages } from '@plant-store/contract/messages';
import { type Resource, searchedFieldsOf } from '@plant-store/contract/resource';
import { ServiceError } from './errors.js';
import { type ListOrder, partsOfOrder, sortKeyOf } from './order.js';
import {
  beforeNumbers,
  type ChangePosition,
  isTombstone,
  keptSince,
  type ListFilter,
  type ListPosition,
  pageOfStates,
  type RecordChange,
  type RecordPeople,
  type RecordState,
  type Store,
  type Stored,
  type StoredRecord,
  withoutTombstones,
} from './store.js';

/** Numbers the changes of all stores that share it. */
export interface ChangeOrder {
  /** 8 hexadecimal digits. Positions of another generation are rejected with `cursor_expired`. */
  generation: string;
  /** The number of the last change; 0 before the first one. */
  number: number;
}

export interface MemoryStoreOptions {
  /** Returns the current time, in milliseconds since 1970. */
  readonly now: () => number;
  /** Shared with the stores of other resources. Default: a new one. */
  readonly changes?: ChangeOrder;
  /** How many days replaced states are kept. Default: forever. */
  readonly historyDays?: number | undefined;
}

/** The store of a resource in memory. Every operation takes effect before it returns its promise. */
export interface MemoryStore<Fields> extends Store<Fields> {
  /** Finds the records with these IDs, with their authors. */
  findHistory(ids: readonly bigint[]): Promise<readonly RecordPeople<Fields>[]>;
  /** The fields of the existing records, by ID, in the order in which the records were stored. */
  readonly records: ReadonlyMap<bigint, Readonly<Fields>>;
  /**
   * Replaces everything that is stored, like a restored backup. If followers must read all records again, first set a new `generation` in
   * the `ChangeOrder`.
   *
   * @param records with distinct IDs. A record without a time gets the current time
   */
  readonly replaceAll: (records: Iterable<StoredRecord<Fields>>) => void;
}

/** A record or a tombstone, with its last change, its authors, and its earlier states. */
interface Entry<Fields> {
  readonly record: StoredRecord<Fields>;
  readonly number: number;
  readonly changedAt: number | undefined;
  readonly addedBy?: string | undefined;
  readonly changedBy?: string | undefined;
  /** The replaced states, oldest first. */
  readonly replaced: readonly RecordState<Fields>[];
}

/** A record with its position in a sorted list. */
interface Placed<Fields> extends ListPosition {
  readonly record: Stored<Fields>;
}

/** Creates an empty store in memory. */
export function createMemoryStore<Fields extends object>(
  resource: Resource,
  {
    now,
    changes: changeOrder = { generation: '00000001', number: 0 },
    historyDays = Number.POSITIVE_INFINITY,
  }: MemoryStoreOptions,
): MemoryStore<Fields> {
  const { names, pick, isSame, toColumn } = columnsOf<Fields>(resource);
  const searchedFields = searchedFieldsOf(resource).map(([name]) => name);
  /** By ID, in the order of the last changes. */
  const entries = new Map<bigint, Entry<Fields>>();
  const records = new Map<bigint, Readonly<Fields>>();
  /** The sorted lists that were requested since the last change. */
  const sortedLists = new Map<ListOrder, readonly Placed<Fields>[]>();
  let last: Entry<Fields> | undefined;
  let lastPlace = 0;

  const fieldOf = (fields: Fields, name: string) => (fields as Readonly<Record<string, unknown>>)[name];

  /** Returns the size of fields in bytes: text in UTF-8, and everything else as digits. */
  const bytesOf = (fields: Fields) =>
    names.reduce((bytes, name) => bytes + utf8Length(String(toColumn(name, fieldOf(fields, name)) ?? '')), 0);

  const find = (id: bigint) => entries.get(id)?.record;

  /** Returns the current state of an entry, or `undefined` for a tombstone. */
  function stateOf({ record, changedAt: from, addedBy, changedBy }: Entry<Fields>) {
    if (isTombstone(record)) return undefined;
    const by = record.original === undefined ? addedBy : changedBy;
    return { fields: pick(record), from, until: undefined, by };
  }

  const isKept = ({ until = 0 }: RecordState<Fields>) => until >= keptSince(now(), historyDays);

  /** Stores a record or a tombstone, as the last change. */
  function put(record: StoredRecord<Fields>, by?: string): StoredRecord<Fields> {
    const { id } = record;
    const existing = entries.get(id);
    entries.delete(id);
    sortedLists.clear();
    last = { ...toEntry(record, existing, by), number: ++changeOrder.number };
    entries.set(id, last);
    if (isTombstone(record)) records.delete(id);
    else records.set(id, pick(record));
    return last.record;
  }

  function toEntry(
    record: StoredRecord<Fields>,
    existing: Entry<Fields> | undefined,
    by: string | undefined,
  ): Omit<Entry<Fields>, 'number'> {
    const { id } = record;
    const changedAt = now();
    if (isTombstone(record)) return { record: { id, deleted: true }, changedAt, replaced: [] };
    const { addedAt = changedAt, original } = record;
    const fields = pick(record);
    const before = existing && stateOf(existing);
    const replaced = [...(existing?.replaced ?? [])];
    if (before !== undefined && !isSame(before.fields, fields))
      replaced.push({ ...before, place: ++lastPlace, until: changedAt });
    return {
      record: {
        ...fields,
        id,
        ...(addedAt !== null && { addedAt }),
        ...(original !== undefined && { original }),
      },
      changedAt: original === undefined ? (addedAt ?? undefined) : changedAt,
      ...(before === undefined ? { addedBy: by } : { addedBy: existing?.addedBy, changedBy: by }),
      replaced: replaced.filter(isKept),
    };
  }

  const textOf = (record: Fields, name: string) => {
    const value = fieldOf(record, name);
    return value === undefined ? undefined : String(value);
  };

  const storedRecords = () =>
    withoutTombstones(Array.from(entries.values(), ({ record }): StoredRecord<Fields> => record));

  /** Returns the records in an order. The first call since a change sorts them. */
  function sortedIn(listOrder: ListOrder): readonly Placed<Fields>[] {
    const sorted =
      sortedLists.get(listOrder) ??
      storedRecords()
        .flatMap((record) => positionIn(listOrder, record) ?? [])
        .sort(comparatorOf(listOrder));
    sortedLists.set(listOrder, sorted);
    return sorted;
  }

  /** Returns the position of a record in an order, or `undefined` if the order does not include it. */
  function positionIn(listOrder: ListOrder, record: Stored<Fields>): Placed<Fields> | undefined {
    const { id, addedAt } = record;
    const { by } = partsOfOrder(listOrder);
    if (by === 'id') return { record, id };
    if (by === 'untimed') return addedAt == null ? { record, id } : undefined;
    if (by === 'time') return addedAt == null ? undefined : { record, id, addedAt };
    return { record, id, key: sortKeyOf(textOf(record, by)) };
  }

  function matcherOf({ equal = {}, q, addedFrom, addedBefore }: ListFilter) {
    const accepted = Object.entries(equal).flatMap(([name, values]) =>
      values ? [[name, values] as const] : [],
    );
    const folded = q === undefined ? undefined : foldText(q);
    return (record: Stored<Fields>): boolean => {
      const { addedAt = null } = record;
      return (
        (addedFrom === undefined || (addedAt !== null && addedAt >= addedFrom)) &&
        (addedBefore === undefined || (addedAt !== null && addedAt < addedBefore)) &&
        accepted.every(([name, values]) => values.includes(toColumn(name, fieldOf(record, name)))) &&
        (folded === undefined || searchedFields.some((name) => hasText(textOf(record, name) ?? '', folded)))
      );
    };
  }

  return {
    records,
    replaceAll(given) {
      for (const map of [entries, records, sortedLists]) map.clear();
      last = undefined;
      for (const record of given) put(record);
    },
    async create(record) {
      const existing = find(record.id);
      if (existing !== undefined) return { stored: false, existing };
      const { addedAt = null } = put(record, record.addedBy) as Stored<Fields>;
      return { stored: true, addedAt };
    },
    async change({ id, by, replace }) {
      const before = find(id);
      const after = replace(before);
      return { before, after: after && put(after, by) };
    },
    find: async (id) => find(id),
    findHistory: async (ids) =>
      ids.flatMap((id) => {
        const { record, addedBy, changedBy } = entries.get(id) ?? {};
        return record === undefined ? [] : { record, addedBy, changedBy };
      }),
    async list({ order, after, ...filter }, { matches, bytes }) {
      const isMatch = matcherOf(filter);
      const compare = comparatorOf(order);
      const found: Stored<Fields>[] = [];
      let position: ListPosition | undefined;
      let total = 0;
      for (const placed of sortedIn(order)) {
        if ((after !== undefined && compare(placed, after) <= 0) || !isMatch(placed.record)) continue;
        const { record, ...next } = placed;
        total += bytesOf(record);
        if (position !== undefined && (found.length === matches || total > bytes))
          return { records: found, last: position };
        found.push(record);
        position = next;
      }
      return { records: found, last: undefined };
    },
    countAll: async (filter) => ({
      count: storedRecords().filter(matcherOf(filter)).length,
      isEstimate: false,
    }),
    async countValues(field, after, maxValues) {
      const counts = new Map<string, number>();
      for (const record of storedRecords()) {
        const value = textOf(record, field);
        if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
      }
      const sorted = [...counts]
        .filter(([value]) => after === undefined || compareTexts(value, after) > 0)
        .sort(([a], [b]) => compareTexts(a, b));
      return { counts: sorted.slice(0, maxValues), hasMore: sorted.length > maxValues };
    },
    async listChanges(after, limits) {
      const { generation } = changeOrder;
      const { number: start = 0 } = after ?? {};
      if (after !== undefined && (after.generation !== generation || start > changeOrder.number))
        throw new ServiceError('cursor_expired', messages.cursorExpired);
      const changes: RecordChange<Fields>[] = [];
      let position: ChangePosition = { generation, number: start, id: after?.id ?? INT64_MIN };
      let bytes = 0;
      for (const { number, record, changedAt: at } of entries.values()) {
        if (number <= start) continue;
        bytes += isTombstone(record) ? 0 : bytesOf(record);
        if (changes.length > 0 && (changes.length === limits.matches || bytes > limits.bytes))
          return { changes, last: position, hasMore: true };
        changes.push({ record, at });
        position = { generation, number, id: record.id };
      }
      return { changes, last: position, hasMore: false };
    },
    async listStates(id, start, limits) {
      const entry = entries.get(id);
      const current = entry && stateOf(entry);
      if (current === undefined) return undefined;
      const replaced = entry?.replaced.filter(isKept).toReversed() ?? [];
      const states =
        start === undefined ? [current, ...replaced] : replaced.filter(({ place = 0 }) => place <= start);
      return pageOfStates(states, bytesOf, limits);
    },
    async lastChange() {
      const position = last ? { number: last.number, id: last.record.id } : beforeNumbers;
      return { generation: changeOrder.generation, ...position };
    },
  };
}

function comparatorOf(order: ListOrder): (a: ListPosition, b: ListPosition) => number {
  const { by, isDescending } = partsOfOrder(order);
  return (a, b) => {
    const first =
      by === 'time' ? (a.addedAt ?? 0) - (b.addedAt ?? 0) : compareTexts(a.key ?? '', b.key ?? '');
    const compared = first || (a.id < b.id ? -1 : Number(a.id > b.id));
    return isDescending ? -compared : compared;
  };
}

/** Compares texts by code points, in the same order as databases that compare UTF-8. */
function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  for (let index = 0; ; index++) {
    const [first, second] = [a.codePointAt(index) ?? -1, b.codePointAt(index) ?? -1];
    if (first !== second) return first - second;
  }
}

const encoder = new TextEncoder();

const utf8Length = (text: string) => encoder.encode(text).length;
