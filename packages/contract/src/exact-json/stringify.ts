/** A value that JSON can represent, with integers of any size as `bigint`. The members of an object must be such values or `undefined`. */
export type ExactJson = string | number | bigint | boolean | null | readonly ExactJson[] | object;

/**
 * Writes JSON in which every integer is exact: a `bigint` becomes its digits. Omits members that are `undefined`, as `JSON.stringify` does.
 *
 * @throws {RangeError} for a `number` that is not finite, or is an integer beyond ±(2^53 - 1), which JavaScript may have rounded. Pass a
 * `bigint` instead.
 */
export function stringifyExactJson(value: ExactJson): string {
  // `value % 1` is 0 for integers, and NaN for values that are not finite.
  if (typeof value === 'number' && !Number.isSafeInteger(value) && !(value % 1)) {
    throw new RangeError(`The number ${value} is not exact; pass a bigint`);
  }
  if (typeof value === 'bigint') return String(value);
  if (!value || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(stringifyExactJson)}]`;
  let members = '';
  for (const [name, member] of Object.entries(value)) {
    if (member !== undefined) {
      members += `${members && ','}${JSON.stringify(name)}:${stringifyExactJson(member)}`;
    }
  }
  return `{${members}}`;
}
