import { isNumber } from '../columns/recognize-columns.js';
import type { Row } from '../read/read-rows.js';

/** What people write beside a total, in several languages, in lower case. */
const words = [
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
 * Whether a row has a total and no plant: such a word, and otherwise only numbers and empty cells. One with an id may be a plant of that
 * name, unless it is the last row.
 */
export function isTotal({ cells }: Row, idColumn: number | undefined, isLast: boolean): boolean {
  const filled = cells.map((cell) => cell.trim()).filter((cell) => cell !== '');
  const texts = filled.filter((cell) => !isNumber(cell.replace(/\s*[€$£%]$/, '')));
  const [word = '', another] = texts;
  if (another !== undefined || !words.includes(word.toLowerCase().replace(/\s*:$/, ''))) return false;
  return isLast || !isNumber(cells[idColumn ?? -1] ?? '');
}
