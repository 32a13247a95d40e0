import { toAsciiNumber } from '@plant-store/contract/ascii-number';

/** Reads a search text as an ID; `undefined` if it is not one. */
export function readSearchedId(text: string): bigint | undefined {
  const digits = toAsciiNumber(text);
  if (!/^-?\d{1,19}$/.test(digits)) return undefined;
  const id = BigInt(digits);
  return BigInt.asIntN(64, id) === id ? id : undefined;
}
