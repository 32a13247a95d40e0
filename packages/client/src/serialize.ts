/**
 * Serializes the cache of TanStack Query as JSON, for a persister or for `dehydrate`. Unlike `JSON.stringify`, it preserves `bigint`,
 * `undefined` in a list, and numbers that are not finite. It omits `AbortSignal`, which only works in the page that created it.
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
 * Reads the output of `serialize`.
 *
 * @throws {SyntaxError} when the text is not such output
 */
export function deserialize<Value = unknown>(text: string): Value {
  return JSON.parse(text, decode);
}

/** Converts an encoded value, `<type>:<value>`, by its type. */
const decoders = { bigint: BigInt, number: Number, string: String, undefined: () => undefined };
const encodedPattern = /^(bigint|number|string|undefined):(.*)$/;

function encode(this: Readonly<Record<string, unknown>>, name: string, json: unknown): unknown {
  // JSON.stringify has already called `toJSON`, which some programs add to BigInt.
  const value = typeof this[name] === 'bigint' ? this[name] : json;
  if (value instanceof AbortSignal) return undefined;
  const isAmbiguous = typeof value === 'string' && encodedPattern.test(value);
  const isLost =
    typeof value === 'bigint' ||
    (typeof value === 'number' && !Number.isFinite(value)) ||
    (value === undefined && Array.isArray(this));
  return isAmbiguous || isLost ? `${typeof value}:${value}` : value;
}

function decode(_: string, value: unknown): unknown {
  // JSON.parse removes undefined items, so restore them in a list.
  if (Array.isArray(value)) return Array.from(value);
  const [, type, text = ''] = (typeof value === 'string' && encodedPattern.exec(value)) || [];
  return type ? decoders[type as keyof typeof decoders](text) : value;
}
