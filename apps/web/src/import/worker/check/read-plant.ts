import { jsonShapeOf, type NewPlant, NewPlantSchema } from '@plant-store/contract';
import { toAsciiNumber } from '@plant-store/contract/ascii-number';
import { parseExactJson } from '@plant-store/contract/exact-json/parse';
import { resourceNameOf } from '@plant-store/contract/record-format';
import { resources } from '@plant-store/contract/resources';
import {
  type FieldName,
  fieldNames,
  labelInSentence,
  mapFields,
  type Texts,
} from '../../../shared/fields.js';
import { withoutEmpty } from '../../../shared/texts.js';
import { toVisible } from '../../../shared/to-visible.js';
import type { Fix } from '../../protocol.js';

/** What is wrong with a line, in which fields, and which fix would help. */
export interface Problem {
  readonly reason: string;
  readonly fields: readonly FieldName[];
  readonly fix?: Fix | undefined;
  /** The service's error number, if the line was sent. */
  readonly error?: number;
}

export type PlantOrProblem = { readonly plant: NewPlant } | Problem;

/** Reads a plant from cells. An empty cell counts as absent. */
export function readPlantTexts({ id: idText, ...texts }: Texts): PlantOrProblem {
  const id = readId(idText);
  const filled = withoutEmpty(texts);
  if ('id' in id) return validate({ id: id.id, ...filled });
  const others = validate({ id: 0n, ...filled });
  if ('plant' in others) return { ...id, fields: ['id'] };
  return { reason: `${id.reason} ${others.reason}`, fields: ['id', ...others.fields], fix: id.fix };
}

/** Reads a plant from a JSON object. Keeps integers exact, as the service does. */
export function readPlantJson(text: string): PlantOrProblem {
  try {
    const object = parseExactJson(text, shape);
    return findOtherResource(Object(object).resource) ?? validate(object);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { reason: `This line cannot be read: ${toVisible(error.message)}.`, fields: [] };
  }
}

/** Reads as many fields as possible from a JSON object that may not be a valid plant. */
export function readJsonTexts(text: string): Texts {
  let value: unknown;
  try {
    value = parseExactJson(text, shape);
  } catch {
    // The text is not JSON, so all fields stay empty.
  }
  const found: Readonly<Record<string, unknown>> = Object(value);
  return mapFields((name) => {
    // `idText` has all digits, even if a program rounded `id`.
    const member = (name === 'id' ? found['idText'] : undefined) ?? found[name];
    return /^(string|number|bigint)$/.test(typeof member) ? String(member) : '';
  });
}

/** The maximum length of a resource name in a message, in characters. */
const maxResourceLength = 100;

/** Returns a problem if a line's `resource` is not `plant`. */
export function findOtherResource(resource: unknown): Problem | undefined {
  const name = resourceNameOf({ resource });
  if (name === resources.plant.name) return undefined;
  return {
    reason: `This line is a ${toVisible(name ?? 'different kind of record', maxResourceLength)}, not a plant.`,
    fields: [],
  };
}

const { members = [] } = jsonShapeOf(NewPlantSchema);
const shape = { members: [...members, { name: 'resource', shape: {} }] };

function validate(value: unknown): PlantOrProblem {
  const { data, error } = NewPlantSchema.safeParse(value);
  if (error === undefined) return { plant: data };
  const sentences = error.issues.map(({ path, message }) => {
    const fieldName = fieldNames.find((name) => name === path[0]);
    const field = fieldName === undefined ? path.join('.') || 'line' : labelInSentence(fieldName);
    if (message === 'is required') return `The ${field} is missing.`;
    if (/NUL|surrogate/.test(message))
      return `The ${field} contains a character that cannot be saved. Retype the text.`;
    return `The ${field} ${message}.`;
  });
  const wrong = error.issues.map(({ path }) => path[0]);
  return { reason: sentences.join(' '), fields: fieldNames.filter((name) => wrong.includes(name)) };
}

/** An int64 has at most 19 digits. Longer numbers are not parsed, because that can take long. */
const maxIdDigits = 19;

/** IDs as spreadsheets damage them: the pattern, what to do, and the fix that the page offers. */
const damagedIds: readonly (readonly [pattern: RegExp, advice: string, fix: Fix])[] = [
  [
    /^[+-]?\d+([.,]\d+)?e[+-]?\d+$/i,
    'The spreadsheet shortened this ID. Format the column as text, and enter the ID again.',
    'replace',
  ],
  [/^[+-]?\d{1,3}([.,'’\s]\d{3})+$/, 'Enter the ID without separators between the digits.', 'separators'],
  [/^[+-]?\d+[.,]0*$/, 'Enter the ID without decimals.', 'decimals'],
  [/^[+-]?\d+[.,]\d*$/, 'Enter the ID without decimals.', 'replace'],
];

/**
 * Reads an exact ID from a cell, in digits of any script, or returns what is wrong and the fix to offer. Does not guess an ID that a
 * spreadsheet may have rounded, or whose notation means different numbers in different countries.
 */
function readId(cell: string): { readonly id: bigint } | { readonly reason: string; readonly fix: Fix } {
  const text = toAsciiNumber(cell);
  if (text === '') return { reason: 'The ID is missing.', fix: 'generate' };
  const [, sign, digits] = /^([+-]?)0*(\d+)$/.exec(text) ?? [];
  const id = digits === undefined || digits.length > maxIdDigits ? undefined : BigInt(`${sign}${digits}`);
  if (id !== undefined && BigInt.asIntN(64, id) === id) return { id };
  const start = text.slice(0, maxIdDigits * 2);
  const [, reason, fix] = damagedIds.find(([pattern]) => pattern.test(start)) ?? [];
  if (reason !== undefined && fix !== undefined) return { reason, fix };
  if (digits === undefined) return { reason: 'The ID must be a whole number.', fix: 'replace' };
  const size = sign === '-' ? 'small' : 'large';
  return { reason: `The ID is too ${size}. Use up to 18 digits.`, fix: 'replace' };
}

/** Applies the chosen fixes to the ID in a cell. `generate` returns a new ID. */
export function fixId(cell: string, fixes: ReadonlyMap<Fix, number>, generate: () => string): string {
  if (fixes.size === 0) return cell;
  const [text, read] = [toAsciiNumber(cell), readId(cell)];
  if (!('fix' in read) || !fixes.has(read.fix)) return cell;
  if (read.fix === 'separators') return text.replace(/[.,'’\s]/g, '');
  return read.fix === 'decimals' ? text.replace(/[.,].*$/s, '') : generate();
}
