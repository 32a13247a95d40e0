import { Int64ParameterSchema } from '@plant-store/contract';
import { columnsOf } from '@plant-store/contract/columns';
import { filtersOf, type Resource, severalOf } from '@plant-store/contract/resource';
import { type ListOrder, partsOfOrder } from './order.js';
import type { ChangePosition, ListPosition } from './store.js';

/** The query of a list. The caller's type also has filters, which are named after fields. */
export interface RecordQuery {
  readonly limit?: number | undefined;
  readonly after?: string | undefined;
  readonly order?: string | undefined;
  readonly q?: string | undefined;
  readonly addedFrom?: string | undefined;
  readonly addedBefore?: string | undefined;
  /** The name of a filter: records without a value of it are also listed, or only these if no value is given. */
  readonly without?: string | undefined;
  /** Whether the page says how many records match. */
  readonly total?: boolean | undefined;
  /** With `id` the page has only ids. Default: the whole records. */
  readonly fields?: 'id' | undefined;
}

/** Where a list begins. */
interface Start {
  /** The orders of its parts, one after the other. */
  readonly orders: readonly ListOrder[];
  /** The position in the first part; `undefined` for its beginning. */
  readonly position: ListPosition | undefined;
}

/** Records without a time come last in a list of the newest ones, and first in one of the oldest. */
const timeOrders: Readonly<Record<string, readonly ListOrder[]>> = {
  newest: ['newest', 'untimed'],
  oldest: ['-untimed', 'oldest'],
};

/** The version of the cursor format. */
const version = '1';

/** Writes and reads the cursors of lists of a resource: `next` of a page, and `after` of the following request. */
export function cursorsOf(resource: Resource) {
  const { toColumn } = columnsOf(resource);
  const filters = filtersOf(resource).map(([name]) => name);

  /** Differs for queries that select other records, or order them differently. */
  function fingerprint(query: RecordQuery): string {
    const { order = 'id', q } = query;
    const values = query as Readonly<Record<string, unknown>>;
    const textOf = (name: string, value: unknown) => {
      const column = filters.includes(name) ? toColumn(name, value) : value;
      return typeof column === 'bigint' ? column.toString() : (column ?? null);
    };
    const columnOf = (name: string) => textOf(name, values[name]);
    const [first = '', ...others] = filters;
    // A filter that was added later only counts if it is set, so that older cursors stay valid.
    const several = filters.map((name) => {
      const list = values[severalOf(name)];
      return [severalOf(name), Array.isArray(list) ? list.map((value) => textOf(name, value)) : null];
    });
    const later = [
      ...[...others, 'addedFrom', 'addedBefore', 'without'].map((name) => [name, columnOf(name)]),
      ...several,
    ].filter(([, value]) => value !== null);
    return hashText(JSON.stringify([order, columnOf(first), q ?? null, ...later]));
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
     * @returns `undefined` for a text that is not a cursor of this query, or that was written by another version of the service
     */
    read(query: RecordQuery, cursor: string | undefined): Start | undefined {
      const { order = 'id' } = query;
      const orders = timeOrders[order] ?? [order];
      if (cursor === undefined) return { orders, position: undefined };
      const start = `${version}.${fingerprint(query)}.`;
      if (!cursor.startsWith(start)) return undefined;
      const [, addedAt = '', text = '', key] =
        /^(-?\d{1,16}|)\.([^.]+)(?:\.([\w-]*))?$/.exec(cursor.slice(start.length)) ?? [];
      const id = readId(text);
      const keyText = key === undefined ? undefined : fromBase64Url(key);
      const isByText = !['id', 'time', 'untimed'].includes(partsOfOrder(orders[0] ?? 'id').by);
      if (id === undefined || isByText !== (keyText !== undefined)) return undefined;
      const position = {
        id,
        ...(addedAt !== '' && { addedAt: Number(addedAt) }),
        ...(keyText !== undefined && { key: keyText }),
      };
      const isUntimed = orders.length > 1 && addedAt === '';
      const at = orders.findIndex(
        (each) => orders.length === 1 || partsOfOrder(each).by === (isUntimed ? 'untimed' : 'time'),
      );
      return { orders: orders.slice(at), position };
    },
  };
}

/** The id at the end of a cursor. */
const readId = (text: string) => Int64ParameterSchema.safeParse(text).data;
/** Text in UTF-8 in base64url (RFC 4648, section 5), without padding. */
function toBase64Url(text: string): string {
  const base64 = btoa(String.fromCharCode(...new TextEncoder().encode(text)));
  return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Returns `undefined` for a text that is not base64url. */
function fromBase64Url(text: string): string | undefined {
  if (!/^[\w-]*$/.test(text) || text.length % 4 === 1) return undefined;
  const bytes = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return new TextDecoder().decode(Uint8Array.from(bytes, (character) => character.charCodeAt(0)));
}

/** The FNV-1a hash of a text, of 32 bits. */
export function hashText(text: string): string {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return (hash >>> 0).toString(36);
}

/** The maximum length of a value in a cursor. */
const maxValueLength = 180;

/**
 * Where the next page of counted values of a field begins: after the last value that is short enough for a cursor. If all are too long,
 * after all values with the beginning of the last one.
 */
export function writeCountCursor(field: string, values: readonly string[]) {
  const count =
    values.findLastIndex((value) => [...value.slice(0, 2 * maxValueLength + 1)].length <= maxValueLength) +
      1 || values.length;
  const last = [...(values[count - 1] ?? '')];
  const value = last.length > maxValueLength ? [...last.slice(0, maxValueLength), '\u{10ffff}'] : last;
  return { count, cursor: ['2', `${field}s`, toBase64Url(value.join(''))].join('.') };
}

/** Reads a cursor of counted values of a field: the value after which the page begins; `undefined` for anything else. */
export function readCountCursor(field: string, cursor: string): string | undefined {
  const start = `2.${field}s.`;
  return cursor.startsWith(start) ? fromBase64Url(cursor.slice(start.length)) : undefined;
}

/** Where a page of the states of a record begins: at the replaced state with a place. */
export function writeStateCursor(id: bigint, place: number): string {
  return [version, 'history', id, place].join('.');
}

/** Reads a cursor of the states of a record; `undefined` for anything else. */
export function readStateCursor(id: bigint, cursor: string): number | undefined {
  const start = `${version}.history.${id}.`;
  const place = cursor.startsWith(start) ? cursor.slice(start.length) : '';
  return /^[1-9]\d{0,14}$/.test(place) ? Number(place) : undefined;
}

/** Where the page of changes after a change begins: `next` of a page, and `after` of the following request. */
export function writeChangeCursor({ generation, number, id }: ChangePosition): string {
  return [generation === '' ? version : `2.${generation}`, number ?? '', id].join('.');
}

/** Reads a cursor of changes; `undefined` if it is not one. */
export function readChangeCursor(cursor: string): ChangePosition | undefined {
  const [, generation = '', number = '', text = ''] =
    /^(?:1|2\.([0-9a-f]{8}))\.(\d{0,15})\.(.+)$/.exec(cursor) ?? [];
  const id = readId(text);
  return id === undefined ? undefined : { generation, id, ...(number !== '' && { number: Number(number) }) };
}
