import { toAsciiNumber } from '@plant-store/contract/ascii-number';
import type { Fix } from '../../protocol.js';

/** The id in a cell, for the contract's schema to check, or why the cell holds none; and what would give it one. */
export type IdCell = { readonly id: bigint } | { readonly reason: string; readonly fix: Fix };

/** An int64 has at most 19 digits: to read millions of them takes long. */
const longestId = 19;

/** What spreadsheets make of ids, and how to get them back. */
const damages: readonly (readonly [pattern: RegExp, advice: string, fix: Fix])[] = [
  [
    /^[+-]?\d+([.,]\d+)?e[+-]?\d+$/i,
    'the spreadsheet shortened this id; format the column as text, and enter the id again',
    'replace',
  ],
  [/^[+-]?\d{1,3}([.,'’\s]\d{3})+$/, 'write the id without separators between its digits', 'separators'],
  [/^[+-]?\d+[.,]0*$/, 'write the id without decimals', 'decimals'],
  [/^[+-]?\d+[.,]\d*$/, 'write the id without decimals', 'replace'],
];

/**
 * Reads an id from a cell exactly, in digits of any script. White space around it does not count; an empty cell has no id. A notation that a
 * spreadsheet may have rounded, or that means another number in another country, is not guessed.
 */
export function readId(cell: string): IdCell {
  const text = toAsciiNumber(cell);
  if (text === '') return { reason: 'id is missing', fix: 'generate' };
  const [, sign, digits] = /^([+-]?)0*(\d+)$/.exec(text) ?? [];
  const id = digits === undefined || digits.length > longestId ? undefined : BigInt(`${sign}${digits}`);
  if (id !== undefined && BigInt.asIntN(64, id) === id) return { id };
  const start = text.slice(0, longestId * 2);
  const [
    ,
    advice = digits === undefined
      ? 'an id has digits only, such as 42 or -7'
      : `it is too ${sign === '-' ? 'small' : 'large'}; an id of up to 18 digits always fits`,
    fix = 'replace' as const,
  ] = damages.find(([pattern]) => pattern.test(start)) ?? [];
  return { reason: `id "${start}": ${advice}`, fix };
}

/** The text of an id that cannot be read, with the fix that is chosen for such ids. */
export function fixId(cell: string, fixes: readonly Fix[], generate: () => string): string {
  if (fixes.length === 0) return cell;
  const [text, read] = [toAsciiNumber(cell), readId(cell)];
  if (!('fix' in read) || !fixes.includes(read.fix)) return cell;
  if (read.fix === 'separators') return text.replace(/[.,'’\s]/g, '');
  return read.fix === 'decimals' ? text.replace(/[.,].*$/s, '') : generate();
}
