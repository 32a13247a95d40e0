import { INT64_MAX } from '@plant-store/contract';

/** The id in a cell, for the contract's schema to check, or why the cell holds none. */
export type IdCell = { readonly id: bigint | undefined } | { readonly reason: string };

/** An int64 has at most 19 digits and a sign. */
const longestId = 20;

/** What spreadsheets make of ids, and how to get them back. */
const damages: readonly (readonly [pattern: RegExp, advice: string])[] = [
  [
    /^[+-]?\d+([.,]\d+)?e[+-]?\d+$/i,
    'the spreadsheet shortened this id; format the column as text, and enter the id again',
  ],
  [/^[+-]?\d{1,3}([.,'’\s]\d{3})+$/, 'write the id without separators between its digits'],
  [/^[+-]?\d+[.,]\d*$/, 'write the id without decimals'],
  [/^\+\d+$/, 'write the id without a plus sign'],
  [/^-?0\d+$/, 'write the id without zeros in front'],
];

/**
 * Reads an id from a cell exactly. White space around it does not count; an empty cell has no id. A notation that a
 * spreadsheet may have rounded, or that means another number in another country, is not guessed.
 */
export function readId(cell: string): IdCell {
  const text = cell.trim();
  if (text === '') return { id: undefined };
  if (/^-?(0|[1-9]\d*)$/.test(text)) {
    // Beyond all int64s, so that the contract rejects it, without the time that converting many digits takes.
    return { id: text.length > longestId ? INT64_MAX + 1n : BigInt(text) };
  }
  const start = text.slice(0, longestId * 2);
  const advice =
    damages.find(([pattern]) => pattern.test(start))?.[1] ?? 'an id has digits only, such as 42 or -7';
  return { reason: `id "${start}": ${advice}` };
}
