import { isNumber } from '../columns/recognize-columns.js';
import type { Row } from '../read/read-rows.js';

/** Labels of totals in several languages, in lowercase. */
const totalLabels = [
  'total',
  'totals',
  'grand total',
  'subtotal',
  'sum',
  'sums',
  'σ',
  'summe',
  'summen',
  'gesamt',
  'gesamtsumme',
  'zwischensumme',
  'insgesamt',
  'endsumme',
  'totale',
  'totali',
  'totaal',
  'totales',
  'suma',
  'somme',
  'somma',
  'sous-total',
];

/**
 * Whether a row is a total: one cell is a total label, and the others are numbers or empty. A row with an ID counts only if it is the last,
 * because a plant can be named like a total.
 */
export function isTotal({ cells }: Row, idColumn: number | undefined, isLast: boolean): boolean {
  const filled = cells.map((cell) => cell.trim()).filter((cell) => cell !== '');
  const texts = filled.filter((cell) => !isNumber(cell.replace(/\s*[€$£%]$/, '')));
  const [label = '', secondText] = texts;
  if (secondText !== undefined || !totalLabels.includes(label.toLowerCase().replace(/\s*:$/, '')))
    return false;
  return isLast || !isNumber(cells[idColumn ?? -1] ?? '');
}
