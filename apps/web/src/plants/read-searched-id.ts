import { toAsciiNumber } from '@plant-store/contract/ascii-number';

/** The id that a text to search for is; `undefined` where it is none. */
export function readSearchedId(text: string): bigint | undefined {
  const digits = toAsciiNumber(text);
  if (!/^-?\d{1,19}$/.test(digits)) return undefined;
  const id = BigInt(digits);
  return BigInt.asIntN(64, id) === id ? id : undefined;
}
