import { Int64ParameterSchema } from '@plant-store/contract';
import { columnsOf } from '@plant-store/contract/columns';
import { filtersOf, pluralFilterOf, type Resource } from '@plant-store/contract/resource';
import { type ListOrder, partsOfOrder } from './order.js';
import type { ChangePosition, ListPosition } from './store.js';

/** The query of a list. Callers add the filters, which are named after fields. */
export interface RecordQuery {
  readonly limit?: number | undefined;
  readonly after?: string | undefined;
  readonly order?: string | undefined;
  readonly q?: string | undefined;
  readonly addedFrom?: string | undefined;
  readonly addedBefore?: string | undefined;
  /** The name of a filter. Also lists records without a value for it, or only these if the filter has no value. */
  readonly without?: string | undefined;
  /** Whether the page includes the number of matches. */
  readonly total?: boolean | undefined;
  /** With `id`, the page has only IDs. Default: the whole records. */
  readonly fields?: 'id' | undefined;
}

/** Where a page of a list begins. */
interface Start {
  /** The orders of the parts of the list, in sequence. */
  readonly orders: readonly ListOrder[];
  /** The position in the first part; `undefined` for the beginning of the part. */
  readonly position: ListPosition | undefined;
}

/** A list in the order of time has two parts. Records without a time count as the oldest. */
const timeOrders: Readonly<Record<string, readonly ListOrder[]>> = {
  newest: ['newest', 'untimed'],
  oldest: ['-untimed', 'oldest'],
};

/** The version of most cursor formats. */
const version = '1';

/** The version of the cursors of counts, and of the cursors of changes with a generation. */
const newerVersion = '2';

/** Writes and reads the cursors of a resource's lists: the `next` of a page, and the `after` of the following request. */
export function cursorsOf(resource: Resource) {
  const { toColumn } = columnsOf(resource);
  const filters = filtersOf(resource).map(([name]) => name);

  /** Returns a text that differs for queries that select other records or another order. */
  function fingerprint(query: RecordQuery): string {
    const { order = 'id', q } = query;
    const values = query as Readonly<Record<string, unknown>>;
    const textOf = (name: string, value: unknown) => {
      const column = filters.includes(name) ? toColumn(name, value) : value;
      return typeof column === 'bigint' ? column.toString() : (column ?? null);
    };
    const columnOf = (name: string) => textOf(name, values[name]);
    const [firstFilter = '', ...otherFilters] = filters;
    const listFilters = filters.map((name) => {
      const list = values[pluralFilterOf(name)];
      return [pluralFilterOf(name), Array.isArray(list) ? list.map((value) => textOf(name, value)) : null];
    });
    // Parameters that later versions added count only if they are set, so that older cursors stay valid.
    const laterParameters = [
      ...[...otherFilters, 'addedFrom', 'addedBefore', 'without'].map((name) => [name, columnOf(name)]),
      ...listFilters,
    ].filter(([, value]) => value !== null);
    return hashText(JSON.stringify([order, columnOf(firstFilter), q ?? null, ...laterParameters]));
  }

  return {
    write: (query: RecordQuery, { id, addedAt, key }: ListPosition): string =>
      [version, fingerprint(query), addedAt ?? '', id, ...(key === undefined ? [] : [toBase64Url(key)])].join(
        '.',
      ),
    /**
     * Reads where a list begins.
     *
     * @param cursor `undefined` for the beginning
     * @returns `undefined` if the text is not a cursor of this query, or has another version
     */
    read(query: RecordQuery, cursor: string | undefined): Start | undefined {
      const { order = 'id' } = query;
      const orders = timeOrders[order] ?? [order];
      if (cursor === undefined) return { orders, position: undefined };
      const prefix = `${version}.${fingerprint(query)}.`;
      if (!cursor.startsWith(prefix)) return undefined;
      const [, addedAt = '', idText = '', key] =
        /^(-?\d{1,16}|)\.([^.]+)(?:\.([\w-]*))?$/.exec(cursor.slice(prefix.length)) ?? [];
      const id = readId(idText);
      const keyText = key === undefined ? undefined : fromBase64Url(key);
      const isByText = !['id', 'time', 'untimed'].includes(partsOfOrder(orders[0] ?? 'id').by);
      if (id === undefined || isByText !== (keyText !== undefined)) return undefined;
      const position = {
        id,
        ...(addedAt !== '' && { addedAt: Number(addedAt) }),
        ...(keyText !== undefined && { key: keyText }),
      };
      const isUntimed = orders.length > 1 && addedAt === '';
      const part = orders.findIndex(
        (partOrder) => orders.length === 1 || partsOfOrder(partOrder).by === (isUntimed ? 'untimed' : 'time'),
      );
      return { orders: orders.slice(part), position };
    },
  };
}

const readId = (text: string) => Int64ParameterSchema.safeParse(text).data;

/** Encodes text in UTF-8 as base64url (RFC 4648, section 5), without padding. */
function toBase64Url(text: string): string {
  const base64 = btoa(String.fromCharCode(...new TextEncoder().encode(text)));
  return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Returns `undefined` if the text is not base64url. */
function fromBase64Url(text: string): string | undefined {
  if (!/^[\w-]*$/.test(text) || text.length % 4 === 1) return undefined;
  const bytes = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return new TextDecoder().decode(Uint8Array.from(bytes, (character) => character.charCodeAt(0)));
}

const fnvOffsetBasis = 0x811c9dc5;
const fnvPrime = 0x01000193;

/** Returns a 32-bit hash in base 36: FNV-1a, over code points instead of bytes. */
export function hashText(text: string): string {
  let hash = fnvOffsetBasis;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), fnvPrime);
  return (hash >>> 0).toString(36);
}

/** The maximum length of a value in a cursor, in code points. */
const maxValueLength = 180;

const lastCodePoint = '\u{10ffff}';

/**
 * Ends a page of counted values of a field at the last value that is short enough for a cursor. If all are too long, the next page begins
 * after all values that start like the last value.
 *
 * @returns how many of the values are on the page, and the cursor of the next page
 */
export function writeCountCursor(field: string, values: readonly string[]) {
  const count =
    values.findLastIndex((value) => [...value.slice(0, 2 * maxValueLength + 1)].length <= maxValueLength) +
      1 || values.length;
  const last = [...(values[count - 1] ?? '')];
  const value = last.length > maxValueLength ? [...last.slice(0, maxValueLength), lastCodePoint] : last;
  return { count, cursor: [newerVersion, `${field}s`, toBase64Url(value.join(''))].join('.') };
}

/** Returns the value after which a page of counts begins, or `undefined` if the text is not a cursor of counts of this field. */
export function readCountCursor(field: string, cursor: string): string | undefined {
  const prefix = `${newerVersion}.${field}s.`;
  return cursor.startsWith(prefix) ? fromBase64Url(cursor.slice(prefix.length)) : undefined;
}

/** Returns the cursor for a page of a record's states that begins with the replaced state at `place`. */
export function writeStateCursor(id: bigint, place: number): string {
  return [version, 'history', id, place].join('.');
}

/** Returns the `place` in a cursor of a record's states, or `undefined` if the text is not such a cursor. */
export function readStateCursor(id: bigint, cursor: string): number | undefined {
  const prefix = `${version}.history.${id}.`;
  const place = cursor.startsWith(prefix) ? cursor.slice(prefix.length) : '';
  return /^[1-9]\d{0,14}$/.test(place) ? Number(place) : undefined;
}

/** Returns the cursor for the page of changes after a position. */
export function writeChangeCursor({ generation, number, id }: ChangePosition): string {
  return [generation === '' ? version : `${newerVersion}.${generation}`, number ?? '', id].join('.');
}

/** Returns the position in a cursor of changes, or `undefined` if the text is not such a cursor. */
export function readChangeCursor(cursor: string): ChangePosition | undefined {
  const [, generation = '', number = '', idText = ''] =
    /^(?:1|2\.([0-9a-f]{8}))\.(\d{0,15})\.(.+)$/.exec(cursor) ?? [];
  const id = readId(idText);
  return id === undefined ? undefined : { generation, id, ...(number !== '' && { number: Number(number) }) };
}
