/** A value that JSON can carry, with integers of any size as `bigint`. */
export type ExactJson =
  | string
  | number
  | bigint
  | boolean
  | null
  | readonly ExactJson[]
  | { readonly [name: string]: ExactJson | undefined };

/**
 * Writes JSON in which every integer is exact: a `bigint` becomes its digits. Members that are `undefined` are
 * left out, as `JSON.stringify` does.
 *
 * @throws {RangeError} for a `number` that is not finite, or an integer beyond ±(2^53 - 1), which JavaScript may
 * already have rounded: pass a `bigint` there.
 */
export function stringifyExactJson(value: ExactJson): string {
  if (typeof value === 'number') return stringifyNumber(value);
  if (typeof value === 'bigint') return value.toString();
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (isArray(value)) return `[${value.map(stringifyExactJson).join(',')}]`;
  let members = '';
  for (const [name, member] of Object.entries(value)) {
    if (member !== undefined) {
      members += `${members && ','}${JSON.stringify(name)}:${stringifyExactJson(member)}`;
    }
  }
  return `{${members}}`;
}

function stringifyNumber(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError(`${value} is no JSON`);
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new RangeError(`The number ${value} may have been rounded; pass a bigint instead`);
  }
  return String(value);
}

/** `Array.isArray` that also narrows a readonly array. */
function isArray(value: object): value is readonly ExactJson[] {
  return Array.isArray(value);
}
