import { isInt64 } from '@plant-store/contract';
import { columnsOf } from '@plant-store/contract/columns';
import { fieldsOf, type Resource } from '@plant-store/contract/resource';
import type { ChangePosition, ListPosition } from './store.js';

/** The query of a list. A caller's type has its filters besides, which have the names of fields. */
export interface RecordQuery {
  readonly limit?: number | undefined;
  readonly after?: string | undefined;
  readonly order?: 'id' | 'newest' | undefined;
  readonly q?: string | undefined;
  readonly addedFrom?: string | undefined;
  readonly addedBefore?: string | undefined;
}

/** The version of the form of cursors. */
const version = '1';

/** Writes and reads the cursors of lists of a resource: `next` of a page, and `after` of the following request. */
export function cursorsOf(resource: Resource) {
  const { toColumn } = columnsOf(resource);
  const filters = fieldsOf(resource).flatMap(([name, { filter }]) => (filter ? name : []));

  /** Differs for queries that select other records, or order them differently. */
  function fingerprint(query: RecordQuery): string {
    const { order = 'id', q } = query;
    const values = query as Readonly<Record<string, unknown>>;
    const columnOf = (name: string) => {
      const column = filters.includes(name) ? toColumn(name, values[name]) : values[name];
      return typeof column === 'bigint' ? column.toString() : (column ?? null);
    };
    const [first = '', ...others] = filters;
    // A filter that came later counts only where it is set, so that a cursor from before it stays valid.
    const later = [...others, 'addedFrom', 'addedBefore']
      .map((name) => [name, columnOf(name)])
      .filter(([, value]) => value !== null);
    return hashText(JSON.stringify([order, columnOf(first), q ?? null, ...later]));
  }

  return {
    write: (query: RecordQuery, { id, addedAt }: ListPosition): string =>
      [version, fingerprint(query), addedAt ?? '', id].join('.'),
    /** Returns `undefined` for a text that is not a cursor of this query, or that another version of the service wrote. */
    read(query: RecordQuery, cursor: string): ListPosition | undefined {
      const start = `${version}.${fingerprint(query)}.`;
      if (!cursor.startsWith(start)) return undefined;
      const [, addedAt = '', id = ''] =
        /^(\d{0,16})\.(0|-?[1-9]\d{0,18})$/.exec(cursor.slice(start.length)) ?? [];
      if (id === '' || !isInt64(BigInt(id))) return undefined;
      return { id: BigInt(id), ...(addedAt !== '' && { addedAt: Number(addedAt) }) };
    },
  };
}

/** The FNV-1a hash of a text, of 32 bits. */
export function hashText(text: string): string {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return (hash >>> 0).toString(36);
}

/** Where the page of counted values of a field after a record begins. */
export function writeCountCursor(field: string, id: bigint): string {
  return [version, `${field}s`, id].join('.');
}

/** Reads a cursor of counted values of a field; `undefined` for anything else. */
export function readCountCursor(field: string, cursor: string): bigint | undefined {
  const start = `${version}.${field}s.`;
  const id = cursor.startsWith(start) ? cursor.slice(start.length) : '';
  return /^(0|-?[1-9]\d{0,18})$/.test(id) && isInt64(BigInt(id)) ? BigInt(id) : undefined;
}

/** Where the page of the states of a record before one of them begins. */
export function writeStateCursor(id: bigint, revision: number): string {
  return [version, 'history', id, revision].join('.');
}

/** Reads a cursor of the states of a record; `undefined` for anything else. */
export function readStateCursor(id: bigint, cursor: string): number | undefined {
  const start = `${version}.history.${id}.`;
  const revision = cursor.startsWith(start) ? cursor.slice(start.length) : '';
  return /^[1-9]\d{0,14}$/.test(revision) ? Number(revision) : undefined;
}

/** Where the page of changes after a change begins: `next` of a page, and `after` of the following request. */
export function writeChangeCursor({ generation, number, id }: ChangePosition): string {
  return [generation === '' ? version : `2.${generation}`, number ?? '', id].join('.');
}

/** Reads a cursor of changes; `undefined` if it is none. */
export function readChangeCursor(cursor: string): ChangePosition | undefined {
  const [, generation = '', number = '', id = ''] =
    /^(?:1|2\.([0-9a-f]{8}))\.(\d{0,15})\.(0|-?[1-9]\d{0,18})$/.exec(cursor) ?? [];
  if (id === '' || !isInt64(BigInt(id))) return undefined;
  return { generation, id: BigInt(id), ...(number !== '' && { number: Number(number) }) };
}
