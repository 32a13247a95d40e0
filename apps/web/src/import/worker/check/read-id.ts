/** The id in a cell, for the contract's schema to check, or why the cell holds none. */
export type IdCell = { readonly id: bigint | undefined } | { readonly reason: string };

/** An int64 has at most 19 digits. */
const longestId = 20;

/** What spreadsheets make of ids, and how to get them back. */
const damages: readonly (readonly [pattern: RegExp, advice: string])[] = [
  [
    /^[+-]?\d+([.,]\d+)?e[+-]?\d+$/i,
    'the spreadsheet shortened this id; format the column as text, and enter the id again',
  ],
  [/^[+-]?\d{1,3}([.,'’\s]\d{3})+$/, 'write the id without separators between its digits'],
  [/^[+-]?\d+[.,]\d*$/, 'write the id without decimals'],
];

/**
 * Reads an id from a cell exactly. White space around it does not count; an empty cell has no id. A notation that a
 * spreadsheet may have rounded, or that means another number in another country, is not guessed.
 */
export function readId(cell: string): IdCell {
  const text = cell.trim();
  if (text === '') return { id: undefined };
  const [, sign, digits] = /^([+-]?)0*(\d+)$/.exec(text) ?? [];
  if (digits !== undefined) {
    // Beyond all int64s, so that the contract rejects it, without the time that converting many digits takes.
    const value = digits.length > longestId ? 2n ** 64n : BigInt(digits);
    return { id: sign === '-' ? -value : value };
  }
  const start = text.slice(0, longestId * 2);
  const advice =
    damages.find(([pattern]) => pattern.test(start))?.[1] ?? 'an id has digits only, such as 42 or -7';
  return { reason: `id "${start}": ${advice}` };
}
