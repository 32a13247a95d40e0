import { plantFilters } from './fields.js';
import { isInt64 } from './int64.js';
import type { PlantQuery } from './operations.js';

/** The plant that a page ended with. */
export interface Position {
  readonly id: bigint;
  /** When it was stored, in milliseconds since 1970, if that is known. */
  readonly addedAt?: number | undefined;
}

/** The version of the form of cursors. */
const version = '1';

/** Where the page of a query after a plant begins: `next` of a page, and `after` of the following request. */
export function writeCursor(query: PlantQuery, { id, addedAt }: Position): string {
  return [version, fingerprint(query), addedAt ?? '', id].join('.');
}

/** Reads a cursor; `undefined` if it is not one of this query, or of another version of the service. */
export function readCursor(query: PlantQuery, cursor: string): Position | undefined {
  const start = `${version}.${fingerprint(query)}.`;
  if (!cursor.startsWith(start)) return undefined;
  const [, addedAt = '', id = ''] =
    /^(\d{0,16})\.(0|-?[1-9]\d{0,18})$/.exec(cursor.slice(start.length)) ?? [];
  if (id === '' || !isInt64(BigInt(id))) return undefined;
  return { id: BigInt(id), ...(addedAt !== '' && { addedAt: Number(addedAt) }) };
}

/** Differs for queries with other plants, or in another order. */
function fingerprint({ order = 'id', tag, q, ...others }: PlantQuery): string {
  // A filter that came later counts only where it is set, so that a cursor from before it stays valid.
  const filters: Readonly<Record<string, unknown>> = others;
  const later = [...plantFilters, 'addedFrom', 'addedBefore']
    .filter((name) => filters[name] !== undefined)
    .map((name) => [name, filters[name]]);
  return hashText(JSON.stringify([order, tag ?? null, q ?? null, ...later]));
}

/** The FNV-1a hash of a text, of 32 bits. */
export function hashText(text: string): string {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return (hash >>> 0).toString(36);
}

/** Where the page of tags after a plant begins. */
export function writeTagCursor(id: bigint): string {
  return [version, 'tags', id].join('.');
}

/** Reads a cursor of tags; `undefined` if it is none. */
export function readTagCursor(cursor: string): bigint | undefined {
  const [, id = ''] = /^1\.tags\.(0|-?[1-9]\d{0,18})$/.exec(cursor) ?? [];
  return id !== '' && isInt64(BigInt(id)) ? BigInt(id) : undefined;
}

/** Where a change is: without a number among the plants of earlier versions, which come first. */
export interface ChangePosition {
  /** The generation of the store, 8 hexadecimal digits; empty in a store whose cursors name none, as those of version 1.4. */
  readonly generation: string;
  readonly number?: number | undefined;
  readonly id: bigint;
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
