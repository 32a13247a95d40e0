/**
 * Makes `JSON.stringify` write each `bigint` of this process as its digits, so that an id of any size is exact; by itself it
 * throws. A replacer would be called for each value of a reply, with which a page of plants takes twice as long.
 */
export function writeExactIntegers(): void {
  Object.defineProperty(BigInt.prototype, 'toJSON', {
    configurable: true,
    value(this: bigint) {
      return json.rawJSON(String(this));
    },
  });
}

/** Its types do not have `JSON.rawJSON` yet, which Node.js 22 has (https://github.com/tc39/proposal-json-parse-with-source). */
const json = JSON as typeof JSON & { rawJSON(text: string): unknown };
