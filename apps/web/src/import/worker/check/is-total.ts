import { isNumber } from '../columns/recognize-columns.js';
import type { Row } from '../read/read-rows.js';

/** Labels of totals in several languages, in lowercase. */
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
 * Whether a row is a total, not a plant: it has one of these words, and otherwise only numbers and empty cells. If it has an id and is not
 * the last row, it may be a plant of that name.
 */
export function isTotal({ cells }: Row, idColumn: number | undefined, isLast: boolean): boolean {
  const filled = cells.map((cell) => cell.trim()).filter((cell) => cell !== '');
  const texts = filled.filter((cell) => !isNumber(cell.replace(/\s*[€$£%]$/, '')));
  const [word = '', another] = texts;
  if (another !== undefined || !words.includes(word.toLowerCase().replace(/\s*:$/, ''))) return false;
  return isLast || !isNumber(cells[idColumn ?? -1] ?? '');
}
