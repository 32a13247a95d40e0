import { INT64_MIN } from '@plant-store/contract';
import { columnsOf } from '@plant-store/contract/columns';
import { foldText, hasText } from '@plant-store/contract/fold-text';
import { messages } from '@plant-store/contract/messages';
import { fieldsOf, type Resource } from '@plant-store/contract/resource';
import { ServiceError } from './errors.js';
import { type ListOrder, partsOfOrder, sortKeyOf } from './order.js';
import {
  beforeNumbers,
  isTombstone,
  keptSince,
  type ListFilter,
  type ListPosition,
  type ListQuery,
  pageOfStates,
  type RecordPeople,
  type RecordState,
  type Store,
  type Stored,
  type StoredRecord,
} from './store.js';

/** Numbers the changes of all stores that share it. */
export interface ChangeOrder {
  /** 8 hexadecimal digits. Positions of another generation are rejected with `cursor_expired`. */
  generation: string;
  /** The number of the last change; 0 before the first one. */
  number: number;
}

export interface MemoryStoreOptions {
  /** Milliseconds since 1970. */
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
  /** The fields of the existing records, by ID, in the order in which they were stored. */
  readonly records: ReadonlyMap<bigint, Readonly<Fields>>;
  /**
   * Replaces everything that is stored, like a restored backup. If followers must read all records again, first set a new `generation` in
   * the `ChangeOrder`.
   *
   * @param records with distinct IDs. A record without a time gets the current time
   */
  readonly replaceAll: (records: Iterable<StoredRecord<Fields>>) => void;
}

/** The entry of a store for an ID. */
interface Entry<Fields> {
  readonly id: bigint;
  /** `undefined` for a tombstone. */
  fields: Fields | undefined;
  addedAt: number | null;
  original: string | undefined;
  /** The size of the fields, in bytes. */
  bytes: number;
  /** The number of the last change. */
  number: number;
  /** When the last change happened. */
  changedAt: number | undefined;
  addedBy: string | undefined;
  changedBy: string | undefined;
  /** The replaced states, oldest first. */
  replaced: RecordState<Fields>[];
}

/** An entry and its position in an order. */
interface Placed<Fields> extends ListPosition {
  readonly entry: Entry<Fields>;
}

/** A change in the log. Outdated if the entry has changed since. */
interface LoggedChange<Fields> {
  readonly number: number;
  readonly entry: Entry<Fields>;
}

/** Creates an empty store of a resource in memory. */
export function createMemoryStore<Fields extends object>(
  resource: Resource,
  {
    now,
    changes: changeOrder = { generation: '00000001', number: 0 },
    historyDays = Number.POSITIVE_INFINITY,
  }: MemoryStoreOptions,
): MemoryStore<Fields> {
  const { names, pick, isSame, toColumn } = columnsOf<Fields>(resource);
  const searchedFields = fieldsOf(resource).flatMap(([name, { search }]) => (search ? name : []));
  const entries = new Map<bigint, Entry<Fields>>();
  const records = new Map<bigint, Readonly<Fields>>();
  /** The entries of each list order that was requested, kept sorted. */
  const sortedEntries = new Map<ListOrder, Placed<Fields>[]>();
  let log: LoggedChange<Fields>[] = [];
  let lastPlace = 0;

  const fieldOf = (fields: Fields, name: string) => (fields as Readonly<Record<string, unknown>>)[name];

  /** Returns the size of fields in bytes: text in UTF-8, and everything else as digits. */
  const bytesOf = (fields: Fields) =>
    names.reduce((bytes, name) => bytes + utf8Length(String(toColumn(name, fieldOf(fields, name)) ?? '')), 0);

  function toRecord({ id, fields, addedAt, original }: Entry<Fields>): StoredRecord<Fields> {
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
    return entry && toRecord(entry);
  };

  /** The current state of an entry; `undefined` for a tombstone. */
  function stateOf(entry: Entry<Fields>): RecordState<Fields> | undefined {
    const { fields, original, changedAt: from, addedBy, changedBy } = entry;
    if (fields === undefined) return undefined;
    return { fields, from, until: undefined, by: original === undefined ? addedBy : changedBy };
  }

  const isKept = ({ until = 0 }: RecordState<Fields>) => until >= keptSince(now(), historyDays);

  /** Stores a record or a tombstone, as the last change. */
  function put(record: StoredRecord<Fields>, by?: string): Entry<Fields> {
    const { id } = record;
    const existing = entries.get(id);
    const entry = existing ?? {
      id,
      fields: undefined,
      addedAt: null,
      original: undefined,
      bytes: 0,
      number: 0,
      changedAt: undefined,
      addedBy: undefined,
      changedBy: undefined,
      replaced: [],
    };
    const changedAt = now();
    if (existing !== undefined) removeFromOrders(existing);
    if (isTombstone(record)) {
      // `addedAt` stays, so that the tombstone keeps its position in lists by time.
      Object.assign(entry, { fields: undefined, bytes: 0, changedAt, replaced: [] });
      records.delete(id);
    } else {
      const { addedAt = changedAt, original } = record;
      const fields = pick(record);
      const state = stateOf(entry);
      const isUpdate = state !== undefined;
      if (isUpdate && !isSame(state.fields, fields))
        entry.replaced = [...entry.replaced, { ...state, place: ++lastPlace, until: changedAt }].filter(
          isKept,
        );
      Object.assign(entry, { fields, addedAt, original, bytes: bytesOf(fields) });
      Object.assign(entry, isUpdate ? { changedBy: by } : { addedBy: by, changedBy: undefined });
      entry.changedAt = original === undefined ? (addedAt ?? undefined) : changedAt;
      records.set(id, fields);
    }
    entries.set(id, entry);
    addToOrders(entry);
    entry.number = ++changeOrder.number;
    log.push({ number: entry.number, entry });
    // Drops outdated changes once they are more than half of the log.
    if (log.length > 2 * entries.size + 16) log = log.filter(isCurrent);
    return entry;
  }

  const textOf = ({ fields }: Entry<Fields>, name: string) => {
    const value = fields && fieldOf(fields, name);
    return value === undefined ? undefined : String(value);
  };

  /** Returns the entries in an order. The first call sorts them. */
  function sortedIn(listOrder: ListOrder): Placed<Fields>[] {
    const sorted =
      sortedEntries.get(listOrder) ??
      [...entries.values()]
        .flatMap((entry) => positionIn(listOrder, entry) ?? [])
        .sort((a, b) => comparePositions(listOrder, a, b));
    sortedEntries.set(listOrder, sorted);
    return sorted;
  }

  /** Returns the position of an entry in an order, or `undefined` if the order does not include it. */
  function positionIn(listOrder: ListOrder, entry: Entry<Fields>): Placed<Fields> | undefined {
    const { id, addedAt } = entry;
    const { by } = partsOfOrder(listOrder);
    if (by === 'id') return { entry, id };
    if (by === 'untimed') return addedAt === null ? { entry, id } : undefined;
    if (by === 'time') return addedAt === null ? undefined : { entry, id, addedAt };
    return { entry, id, key: sortKeyOf(textOf(entry, by)) };
  }

  function addToOrders(entry: Entry<Fields>): void {
    for (const [listOrder, sorted] of sortedEntries) {
      const placed = positionIn(listOrder, entry);
      if (placed !== undefined) sorted.splice(indexIn(listOrder, sorted, placed), 0, placed);
    }
  }

  /** Must be called before the entry changes. */
  function removeFromOrders(entry: Entry<Fields>): void {
    for (const [listOrder, sorted] of sortedEntries) {
      const placed = positionIn(listOrder, entry);
      if (placed !== undefined) sorted.splice(indexIn(listOrder, sorted, placed), 1);
    }
  }

  const indexIn = (listOrder: ListOrder, sorted: readonly Placed<Fields>[], position: ListPosition) =>
    findIndex(sorted, (other) => comparePositions(listOrder, other, position) < 0);

  /** Yields the entries of a list after a position, in order. */
  function* entriesAfter({ order: listOrder, after }: ListQuery): Generator<Placed<Fields>> {
    const sorted = sortedIn(listOrder);
    const isPassed = (placed: ListPosition) =>
      after !== undefined && comparePositions(listOrder, placed, after) <= 0;
    for (let index = findIndex(sorted, isPassed); index < sorted.length; index++)
      yield sorted[index] as Placed<Fields>;
  }

  function matcherOf({ equal = {}, q, addedFrom, addedBefore }: ListFilter) {
    const accepted = Object.entries(equal).flatMap(([name, values]) =>
      values ? [[name, values] as const] : [],
    );
    const folded = q === undefined ? undefined : foldText(q);
    return ({ fields, addedAt }: Entry<Fields>): boolean =>
      fields !== undefined &&
      (addedFrom === undefined || (addedAt !== null && addedAt >= addedFrom)) &&
      (addedBefore === undefined || (addedAt !== null && addedAt < addedBefore)) &&
      accepted.every(([name, values]) => values.includes(toColumn(name, fieldOf(fields, name)))) &&
      (folded === undefined ||
        searchedFields.some((name) => hasText(String(fieldOf(fields, name) ?? ''), folded)));
  }

  return {
    records,
    replaceAll(given) {
      for (const map of [entries, records, sortedEntries]) map.clear();
      log = [];
      for (const record of given) put(record);
    },
    async create(record) {
      const existing = find(record.id);
      return existing === undefined
        ? { stored: true, addedAt: put(record, record.addedBy).addedAt }
        : { stored: false, existing };
    },
    async change({ id, by, replace }) {
      const before = find(id);
      const after = replace(before);
      return { before, after: after && toRecord(put(after, by)) };
    },
    find: async (id) => find(id),
    findHistory: async (ids) =>
      ids.flatMap((id) => {
        const entry = entries.get(id);
        if (entry === undefined) return [];
        const { addedBy, changedBy } = entry;
        return { record: toRecord(entry), addedBy, changedBy };
      }),
    async list(query, { matches, bytes }) {
      const isMatch = matcherOf(query);
      const found: Entry<Fields>[] = [];
      let last: ListPosition | undefined;
      let total = 0;
      for (const { entry, ...position } of entriesAfter(query)) {
        if (!isMatch(entry)) continue;
        total += entry.bytes;
        if (last !== undefined && (found.length === matches || total > bytes))
          return { records: found.map(toRecord) as Stored<Fields>[], last };
        found.push(entry);
        last = position;
      }
      return { records: found.map(toRecord) as Stored<Fields>[], last: undefined };
    },
    countAll: async (filter) => ({
      count: [...entries.values()].filter(matcherOf(filter)).length,
      isEstimate: false,
    }),
    async countValues(field, after, maxValues) {
      const counts = new Map<string, number>();
      for (const entry of entries.values()) {
        const value = textOf(entry, field);
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
      const changed: Entry<Fields>[] = [];
      let bytes = 0;
      let hasMore = false;
      for (const entry of changedAfter(log, start)) {
        bytes += entry.bytes;
        hasMore = changed.length > 0 && (changed.length === limits.matches || bytes > limits.bytes);
        if (hasMore) break;
        changed.push(entry);
      }
      const { number, id } = changed.at(-1) ?? { number: start, id: after?.id ?? INT64_MIN };
      return {
        changes: changed.map((entry) => ({ record: toRecord(entry), at: entry.changedAt })),
        last: { generation, number, id },
        hasMore,
      };
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
      const last = log.findLast(isCurrent)?.entry;
      return {
        generation: changeOrder.generation,
        ...(last ? { number: last.number, id: last.id } : beforeNumbers),
      };
    },
  };
}

const isCurrent = ({ number, entry }: LoggedChange<unknown>) => entry.number === number;

/** Yields the entries whose last change has a higher number, in the order of their changes. */
function* changedAfter<Fields>(
  log: readonly LoggedChange<Fields>[],
  start: number,
): Generator<Entry<Fields>> {
  for (let index = findIndex(log, ({ number }) => number <= start); index < log.length; index++) {
    const change = log[index];
    if (change !== undefined && isCurrent(change)) yield change.entry;
  }
}

const compareIds = (a: bigint, b: bigint) => (a < b ? -1 : Number(a > b));

function comparePositions(order: ListOrder, a: ListPosition, b: ListPosition): number {
  const { by, isDescending } = partsOfOrder(order);
  const first = by === 'time' ? (a.addedAt ?? 0) - (b.addedAt ?? 0) : compareTexts(a.key ?? '', b.key ?? '');
  const compared = first || compareIds(a.id, b.id);
  return isDescending ? -compared : compared;
}

/** Compares texts by code points, in the same order as databases that compare UTF-8. */
function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  for (let index = 0; ; index++) {
    const [first, second] = [a.codePointAt(index) ?? -1, b.codePointAt(index) ?? -1];
    if (first !== second) return first - second;
  }
}

/** Binary search: returns the index of the first item for which a condition is false. All items before it must satisfy the condition. */
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
