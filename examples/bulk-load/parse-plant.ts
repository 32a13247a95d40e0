import type { RequestOf } from '@plant-store/client';

type NewPlant = RequestOf<'createPlant'>['body'];

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Reads a plant from a line of JSON, with its id exact; returns the reason if it is none. */
export function parsePlant(bytes: Uint8Array): NewPlant | string {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    return 'The line is not UTF-8. Save the file in UTF-8.';
  }
  try {
    let plant = Object(JSON.parse(text));
    // Parsing in this way takes several times as long, so only where an id may have been rounded.
    if (!isId(plant.id)) plant = Object(JSON.parse(text, exactIntegers));
    const { id, name, tag } = plant;
    if (!isId(id) || typeof name !== 'string' || (tag !== undefined && typeof tag !== 'string')) {
      return 'A plant needs `id`, an integer, and `name`, a text. `tag` is a text, too, or absent.';
    }
    return { id, name, ...(tag !== undefined && { tag }) };
  } catch {
    return 'The line is not JSON.';
  }
}

/** For `JSON.parse`: integers become `bigint`s, since a `number` would round them beyond 2^53. */
function exactIntegers(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const { source = '' } = context ?? {};
  return typeof value === 'number' && /^-?\d+$/.test(source) ? BigInt(source) : value;
}

/** A `number` may be one, such as 1e2. */
function isId(id: unknown): id is number | bigint {
  return typeof id === 'bigint' || Number.isSafeInteger(id);
}
