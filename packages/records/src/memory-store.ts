import { INT64_MIN } from '@plant-store/contract';
import { columnsOf } from '@plant-store/contract/columns';
import { foldText, hasText } from '@plant-store/contract/fold-text';
import { messages } from '@plant-store/contract/messages';
import { fieldsOf, type Resource } from '@plant-store/contract/resource';
import { ServiceError } from './errors.js';
import {
  beforeNumbers,
  type CountLimits,
  isTombstone,
  keptSince,
  type ListPosition,
  type ListQuery,
  type RecordState,
  type Store,
  type Stored,
  type StoredRecord,
} from './store.js';

/** The one order of the changes in all stores that share it. */
export interface ChangeOrder {
  /** 8 hexadecimal digits. Positions of another generation are rejected with `cursor_expired`. */
  generation: string;
  /** The number of the last change; 0 before the first one. */
  number: number;
}

export interface MemoryStoreOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Share it with the stores of other resources. Default: a new one. */
  readonly changes?: ChangeOrder;
  /** For how many days replaced states are kept. Default: forever. */
  readonly historyDays?: number | undefined;
}

/** The store of a resource in memory. Every operation takes effect before it returns its promise. */
export interface MemoryStore<Fields> extends Store<Fields> {
  /** The fields of the records that exist now, by id, in the order in which they were stored. */
  readonly records: ReadonlyMap<bigint, Readonly<Fields>>;
  /**
   * Replaces everything that is stored, as restoring a backup does. If followers must read all records again, set a new `generation` of
   * the order of changes first.
   *
   * @param records each with a different id; a record without a time gets the time of now
   */
  readonly replaceAll: (records: Iterable<StoredRecord<Fields>>) => void;
}

/** What a store has under an id. It stays in place when it changes, so that the orders by id and by time stay sorted. */
interface Entry<Fields> {
  readonly id: bigint;
  /** `undefined` for a tombstone. */
  fields: Fields | undefined;
  addedAt: number | null;
  original: string | undefined;
  /** The size of the fields, in bytes. */
  bytes: number;
  /** The number of the last change, and when it happened. */
  number: number;
  changedAt: number | undefined;
  /** Who created the record, or updated it last. */
  by: string | undefined;
  /** The states that were replaced, the first one first. */
  replaced: RecordState<Fields>[];
}

/** Where an entry was in the order of changes; out of date if the entry has changed since. */
interface LoggedChange<Fields> {
  readonly number: number;
  readonly entry: Entry<Fields>;
}

/** Creates an empty store of a resource in memory. */
export function createMemoryStore<Fields extends object>(
  resource: Resource,
  {
    now,
    changes: order = { generation: '00000001', number: 0 },
    historyDays = Number.POSITIVE_INFINITY,
  }: MemoryStoreOptions,
): MemoryStore<Fields> {
  type One = Entry<Fields>;
  const { names, pick, isSame, toColumn } = columnsOf<Fields>(resource);
  const searches = fieldsOf(resource).flatMap(([name, { search }]) => (search ? name : []));
  const entries = new Map<bigint, One>();
  const records = new Map<bigint, Readonly<Fields>>();
  const byId = createSorted<One>((a, b) => compareIds(a.id, b.id));
  const byTime = createSorted<One>((a, b) => timeOf(a) - timeOf(b) || compareIds(a.id, b.id));
  let log: LoggedChange<Fields>[] = [];

  const fieldOf = (fields: Fields, name: string) => (fields as Readonly<Record<string, unknown>>)[name];

  /** The size of fields as their columns have them: of text in UTF-8, of everything else in digits. */
  const bytesOf = (fields: Fields) =>
    names.reduce((bytes, name) => bytes + utf8Length(String(toColumn(name, fieldOf(fields, name)) ?? '')), 0);

  function read({ id, fields, addedAt, original }: One): StoredRecord<Fields> {
    if (fields === undefined) return { id, deleted: true };
    return {
      ...fields,
      id,
      ...(addedAt !== null && { addedAt }),
      ...(original !== undefined && { original }),
    };
  }

  const find = (id: bigint) => {
    const entry = entries.get(id);
    return entry && read(entry);
  };

  /** The replaced states that are kept. */
  const keptOf = ({ replaced }: One) =>
    replaced.filter(({ until = 0 }) => until >= keptSince(now(), historyDays));

  /** The replaced states once other fields take the place of those of an entry. */
  function replace(entry: One, fields: Fields, until: number): RecordState<Fields>[] {
    if (entry.fields === undefined) return [];
    const kept = keptOf(entry);
    if (isSame(entry.fields, fields)) return kept;
    return [...kept, { ...stateOf(entry, entry.fields), until }];
  }

  const stateOf = ({ changedAt, by, replaced }: One, fields: Fields): RecordState<Fields> => ({
    ...{ fields, revision: 1 + (replaced.at(-1)?.revision ?? 0), from: changedAt, until: undefined, by },
  });

  /** Stores a record, or a tombstone, as the last change. */
  function put(record: StoredRecord<Fields>, by: string | undefined): One {
    const { id } = record;
    const existing = entries.get(id);
    const entry = existing ?? {
      ...{ id, fields: undefined, addedAt: null, original: undefined, bytes: 0, number: 0 },
      ...{ changedAt: undefined, by: undefined, replaced: [] },
    };
    const changedAt = now();
    if (isTombstone(record)) {
      // It keeps its place among the times.
      Object.assign(entry, { fields: undefined, bytes: 0, changedAt, by, replaced: [] });
      records.delete(id);
    } else {
      const { addedAt = changedAt, original } = record;
      const fields = pick(record);
      if (existing !== undefined && existing.addedAt !== addedAt) byTime.unsort();
      const replaced = replace(entry, fields, changedAt);
      Object.assign(entry, { fields, addedAt, original, bytes: bytesOf(fields), by, replaced });
      entry.changedAt = original === undefined ? (addedAt ?? undefined) : changedAt;
      records.set(id, fields);
    }
    if (existing === undefined) {
      entries.set(id, entry);
      byId.add(entry);
      byTime.add(entry);
    }
    entry.number = ++order.number;
    log.push({ number: entry.number, entry });
    if (log.length > 2 * entries.size + 16) log = log.filter(isCurrent);
    return entry;
  }

  /** The part of the entries that a list examines, in its order. */
  function entriesOf({ order: by, after, addedFrom, addedBefore }: ListQuery): Iterable<One> {
    if (by === 'id') return byId.ascending((entry) => after !== undefined && entry.id <= after.id);
    const [first, end] =
      by === 'untimed'
        ? [untimed, -Number.MAX_VALUE]
        : [addedFrom ?? -Number.MAX_VALUE, addedBefore ?? Number.POSITIVE_INFINITY];
    return byTime.descending(
      (entry) => timeOf(entry) < first,
      (entry) => timeOf(entry) < end && (after === undefined || isBefore(entry, after)),
    );
  }

  function matcherOf({ equal = {}, q, addedFrom, addedBefore }: ListQuery) {
    const compared = Object.entries(equal).filter(([, value]) => value !== undefined);
    const folded = q === undefined ? undefined : foldText(q);
    return ({ fields, addedAt }: One): boolean =>
      fields !== undefined &&
      (addedFrom === undefined || (addedAt !== null && addedAt >= addedFrom)) &&
      (addedBefore === undefined || (addedAt !== null && addedAt < addedBefore)) &&
      compared.every(([name, value]) => toColumn(name, fieldOf(fields, name)) === value) &&
      (folded === undefined || searches.some((name) => hasText(String(fieldOf(fields, name) ?? ''), folded)));
  }

  return {
    records,
    replaceAll(given) {
      for (const all of [entries, records, byId, byTime]) all.clear();
      log = [];
      for (const record of given) put(record, undefined);
    },
    async create(record) {
      const existing = find(record.id);
      return existing === undefined
        ? { stored: true, addedAt: put(record, record.addedBy).addedAt }
        : { stored: false, existing };
    },
    async change({ id, replace, by }) {
      const before = find(id);
      const after = replace(before);
      return { before, after: after && read(put(after, by)) };
    },
    find: async (id) => find(id),
    async list(query, limits) {
      const isMatch = matcherOf(query);
      const found: Stored<Fields>[] = [];
      const last = examine(entriesOf(query), limits, (entry) => {
        if (!isMatch(entry)) return true;
        if (found.length === limits.matches) return false;
        found.push(read(entry) as Stored<Fields>);
        return true;
      });
      return { records: found, last: last && { id: last.id, addedAt: last.addedAt ?? undefined } };
    },
    async countValues(field, after, limits) {
      const counts = new Map<string, number>();
      const last = examine(
        entriesOf({ order: 'id', after: after === undefined ? after : { id: after } }),
        limits,
        ({ fields }) => {
          const value = fields && toColumn(field, fieldOf(fields, field));
          if (value != null) counts.set(String(value), (counts.get(String(value)) ?? 0) + 1);
          return true;
        },
      );
      return { counts: [...counts], last: last?.id };
    },
    async listChanges(after, limits) {
      const { generation } = order;
      const { number: start = 0 } = after ?? {};
      if (after !== undefined && (after.generation !== generation || start > order.number))
        throw new ServiceError('cursor_expired', messages.cursorExpired);
      const changed: One[] = [];
      const rest = examine(changedAfter(log, start), limits, (entry) => {
        if (changed.length === limits.matches) return false;
        changed.push(entry);
        return true;
      });
      const { number, id } = changed.at(-1) ?? { number: start, id: after?.id ?? INT64_MIN };
      return {
        changes: changed.map((entry) => ({ record: read(entry), at: entry.changedAt })),
        last: { generation, number, id },
        hasMore: rest !== undefined,
      };
    },
    async listStates(id, before, limits) {
      const entry = entries.get(id);
      if (entry?.fields === undefined) return undefined;
      const all = [...keptOf(entry), stateOf(entry, entry.fields)].toReversed();
      const rest = all
        .filter(({ revision }) => before === undefined || revision < before)
        .map((state) => ({ ...state, bytes: bytesOf(state.fields) }));
      const states: RecordState<Fields>[] = [];
      const last = examine(rest, limits, ({ bytes: _, ...state }) => {
        if (states.length === limits.matches) return false;
        states.push(state);
        return true;
      });
      return { states, hasMore: last !== undefined };
    },
    async lastChange() {
      const last = log.findLast(isCurrent)?.entry;
      return {
        generation: order.generation,
        ...(last ? { number: last.number, id: last.id } : beforeNumbers),
      };
    },
  };
}

const isCurrent = ({ number, entry }: LoggedChange<unknown>) => entry.number === number;

/** The entries whose last change comes after a number, in the order of their changes. */
function* changedAfter<Fields>(
  log: readonly LoggedChange<Fields>[],
  start: number,
): Generator<Entry<Fields>> {
  for (let index = findIndex(log, ({ number }) => number <= start); index < log.length; index++) {
    const change = log[index];
    if (change !== undefined && isCurrent(change)) yield change.entry;
  }
}

/**
 * Examines entries as far as the limits allow, at least one.
 *
 * @param visit returns `false` to stop before an entry
 * @returns the last one that was examined, if others follow it
 */
function examine<One extends { readonly bytes: number }>(
  entries: Iterable<One>,
  limits: CountLimits,
  visit: (entry: One) => boolean,
): One | undefined {
  let [count, bytes] = [0, 0];
  let last: One | undefined;
  for (const entry of entries) {
    bytes += entry.bytes;
    const isFull = count === limits.records || bytes > limits.bytes;
    if ((last !== undefined && isFull) || !visit(entry)) return last;
    count++;
    last = entry;
  }
  return undefined;
}

/** Where those without a time are in the order of times. */
const untimed = Number.NEGATIVE_INFINITY;

const timeOf = ({ addedAt }: { readonly addedAt?: number | null | undefined }) => addedAt ?? untimed;

const compareIds = (a: bigint, b: bigint) => (a < b ? -1 : Number(a > b));

const isBefore = (a: Pick<Entry<unknown>, 'id' | 'addedAt'>, b: ListPosition) =>
  timeOf(a) < timeOf(b) || (timeOf(a) === timeOf(b) && a.id < b.id);

/** How many items are inserted one by one, which takes less time than to sort all. */
const insertedOneByOne = 100;

/** Items in an order. Those that were not added in that order are sorted in when the items are read. */
function createSorted<Item>(compare: (a: Item, b: Item) => number) {
  const items: Item[] = [];
  let added: Item[] = [];
  let isSorted = true;
  function sort(): readonly Item[] {
    const areFew = isSorted && added.length <= insertedOneByOne;
    for (const item of added)
      items.splice(areFew ? findIndex(items, (other) => compare(other, item) < 0) : items.length, 0, item);
    if (!areFew) items.sort(compare);
    added = [];
    isSorted = true;
    return items;
  }
  return {
    add(item: Item) {
      const last = items.at(-1);
      (last === undefined || compare(last, item) < 0 ? items : added).push(item);
    },
    /** Must be called when the place of an item has changed. */
    unsort() {
      isSorted = false;
    },
    clear() {
      items.length = 0;
      added = [];
    },
    /** The items from the first one that does not come before a start. */
    *ascending(isBeforeStart: (item: Item) => boolean) {
      const sorted = sort();
      for (let index = findIndex(sorted, isBeforeStart); index < sorted.length; index++)
        yield sorted[index] as Item;
    },
    /** The items between a start and an end, the last one first. */
    *descending(isBeforeStart: (item: Item) => boolean, isBeforeEnd: (item: Item) => boolean) {
      const sorted = sort();
      const start = findIndex(sorted, isBeforeStart);
      for (let index = findIndex(sorted, isBeforeEnd) - 1; index >= start; index--)
        yield sorted[index] as Item;
    },
  };
}

/** The index after the items of a sorted list for which a condition holds, which are its first ones. */
function findIndex<Item>(items: readonly Item[], condition: (item: Item) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (condition(items[middle] as Item)) low = middle + 1;
    else high = middle;
  }
  return low;
}

const encoder = new TextEncoder();

const utf8Length = (text: string) => encoder.encode(text).length;
