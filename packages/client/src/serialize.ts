/**
 * Writes what TanStack Query caches as JSON, for a persister or for `dehydrate`. Unlike with `JSON.stringify`, a `bigint`
 * stays one, as do `undefined` in a list and a `number` that is not finite. An `AbortSignal`, which only the page has that
 * made it, is left out.
 *
 * @example
 * import { deserialize, serialize } from '@plant-store/client/tanstack-query';
 * import { createSyncStoragePersister } from '@tanstack/query-sync-storage-persister';
 *
 * const persister = createSyncStoragePersister({ storage: localStorage, serialize, deserialize });
 */
export function serialize(value: unknown): string {
  return JSON.stringify(value, encode);
}

/**
 * Reads what `serialize` has written.
 *
 * @throws {SyntaxError} when it is not that
 */
export function deserialize<Value = unknown>(text: string): Value {
  return JSON.parse(text, decode);
}

/** By type, how a value is read from the text that stands for it, `<type>:<value>`. */
const readers = { bigint: BigInt, number: Number, string: String, undefined: () => undefined };
const encoded = /^(bigint|number|string|undefined):(.*)$/;

function encode(this: Readonly<Record<string, unknown>>, name: string, json: unknown): unknown {
  // Before this function, JSON.stringify calls `toJSON`, which some programs give to BigInt.
  const value = typeof this[name] === 'bigint' ? this[name] : json;
  if (value instanceof AbortSignal) return undefined;
  const isAmbiguous = typeof value === 'string' && encoded.test(value);
  const isLost =
    typeof value === 'bigint' ||
    (typeof value === 'number' && !Number.isFinite(value)) ||
    (value === undefined && Array.isArray(this));
  return isAmbiguous || isLost ? `${typeof value}:${value}` : value;
}

function decode(_: string, value: unknown): unknown {
  // JSON.parse takes out what is undefined: a list gets it back.
  if (Array.isArray(value)) return Array.from(value);
  const [, type, text = ''] = (typeof value === 'string' && encoded.exec(value)) || [];
  return type ? readers[type as keyof typeof readers](text) : value;
}
