import { toAsciiNumber } from '@plant-store/contract/ascii-number';
import type { NewPlant, Plant } from '@plant-store/contract/operations';
import {
  type ByField,
  type FieldName,
  labels,
  mapFields,
  type Texts,
  textNames,
} from '../../shared/fields.js';
import { withoutEmpty } from '../../shared/texts.js';
import { withoutLastSpace } from '../../shared/without-last-space.js';

/** The fields of the form, in their order on the page. */
export const draftFields: readonly FieldName[] = [...textNames, 'id'];

/** What is wrong with each field, in a sentence; `undefined` for a field that is right. */
export type DraftProblems = ByField<string | undefined>;

export const noProblems: DraftProblems = mapFields(() => undefined);

/** The result of a check. */
export type CheckedDraft =
  | { readonly plant: NewPlant; readonly problems?: undefined }
  | { readonly plant?: undefined; readonly problems: DraftProblems };

/** Loads the contract's check; call it early, so that it is there when it is needed. */
export const loadPlantSchema = () => import('./plant-schema.js');

/**
 * Checks the typed texts against the contract. Returns its messages after the label of the field; those of the id are in plainer words.
 *
 * @param before the previous plant, whose unchanged texts are kept exactly
 * @throws {Error} when the contract's check cannot be loaded
 */
export async function checkDraft(draft: Texts, before?: Plant): Promise<CheckedDraft> {
  const { NewPlantSchema } = await loadPlantSchema();
  const read = readDraft(draft, before);
  const { data, error } = NewPlantSchema.safeParse(read);
  if (data !== undefined) return { plant: data };
  const problems: { -readonly [Name in FieldName]: string | undefined } = { ...noProblems };
  for (const { path, message: found } of error?.issues ?? []) {
    const field = draftFields.find((name) => name === path[0]);
    if (field === undefined) continue;
    const message = (field === 'id' && describeId(read['id'])) || found;
    const before = problems[field];
    problems[field] =
      before === undefined ? `${labels[field]} ${message}.` : `${before.slice(0, -1)}; ${message}.`;
  }
  return { problems };
}

/** What is wrong with an id that was typed. */
function describeId(id: unknown): string | undefined {
  if (typeof id === 'string')
    return separated.test(id)
      ? 'must not have separators between the digits'
      : 'must be a whole number, such as 42 or -7';
  if (typeof id !== 'bigint') return undefined;
  return `is too ${id < 0n ? 'small' : 'large'}: use up to 18 digits`;
}

/** Removes the problem of a field when its value changes. */
export function withoutChanged(problems: DraftProblems, before: Texts, after: Texts): DraftProblems {
  return mapFields((name) => (before[name] === after[name] ? problems[name] : undefined));
}

/** Whether the fields still contain a plant, so that they may be cleared once it is stored. */
export function isDraftOf(draft: Texts, plant: NewPlant): boolean {
  const isSame = textNames.every((name) => withoutLastSpace(draft[name]) === (plant[name] ?? ''));
  return isSame && readId(draft.id) === plant.id;
}

/** The members of the plant. An empty field is absent, and text is kept exactly, except for a trailing space. */
function readDraft({ id, ...texts }: Texts, before?: Plant): Record<string, unknown> {
  const kept = { ...texts };
  for (const name of textNames)
    if (texts[name] !== before?.[name]) kept[name] = withoutLastSpace(texts[name]);
  return { id: readId(id), ...withoutEmpty(kept) };
}

/** A comma or point could also be a decimal separator, unlike a space or an apostrophe. */
const separated = /^[+-]?\d{1,3}([.,]\d{3})+$/;
const grouped = /^[+-]?\d{1,3}([\s'’]\d{3})+$/;

/**
 * An id as a `bigint`, with every digit, in digits of any script. Anything else stays text, which the contract rejects. Only the first
 * digits of an out-of-range number are read, because reading millions of digits takes long.
 */
function readId(typed: string): bigint | string | undefined {
  const ascii = toAsciiNumber(typed);
  const text = grouped.test(ascii) ? ascii.replaceAll(/[\s'’]/g, '') : ascii;
  if (text === '') return undefined;
  const [, sign = '', digits] = /^([+-]?)0*(\d+)$/.exec(text) ?? [];
  if (digits === undefined) return text;
  const value = BigInt(digits.slice(0, 20));
  return sign === '-' ? -value : value;
}
