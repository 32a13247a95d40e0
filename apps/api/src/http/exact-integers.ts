/**
 * A replacer for `JSON.stringify` that writes a `bigint` as its digits: an id of any size is exact.
 * Its types do not have `JSON.rawJSON` yet, which Node.js 22 has (https://github.com/tc39/proposal-json-parse-with-source).
 */
export function exactIntegers(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? json.rawJSON(String(value)) : value;
}

const json = JSON as typeof JSON & { rawJSON(text: string): unknown };
