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

/** A sentence about what is wrong with each field; `undefined` for a valid field. */
export type DraftProblems = ByField<string | undefined>;

export const noProblems: DraftProblems = mapFields(() => undefined);

/** The checked plant, or its problems. */
export type CheckedDraft =
  | { readonly plant: NewPlant; readonly problems?: undefined }
  | { readonly plant?: undefined; readonly problems: DraftProblems };

/** Loads the contract schema. Call this early, so that the schema is there when it is needed. */
export const loadPlantSchema = () => import('./plant-schema.js');

/**
 * Checks the typed texts against the contract. Each message begins with the label of the field. Messages about the ID are reworded.
 *
 * @param before the plant before an edit. Its unchanged texts stay exactly as they are.
 * @throws {Error} if the schema cannot be loaded
 */
export async function checkDraft(draft: Texts, before?: Plant): Promise<CheckedDraft> {
  const { NewPlantSchema } = await loadPlantSchema();
  const entered = readDraft(draft, before);
  const { data, error } = NewPlantSchema.safeParse(entered);
  if (data !== undefined) return { plant: data };
  const problems: { -readonly [Name in FieldName]: string | undefined } = { ...noProblems };
  for (const { path, message: schemaMessage } of error?.issues ?? []) {
    const field = draftFields.find((name) => name === path[0]);
    if (field === undefined) continue;
    const message = (field === 'id' && describeId(entered['id'])) || schemaMessage;
    const earlier = problems[field];
    problems[field] =
      earlier === undefined ? `${labels[field]} ${message}.` : `${earlier.slice(0, -1)}; ${message}.`;
  }
  return { problems };
}

/** Describes what is wrong with a typed ID. */
function describeId(id: unknown): string | undefined {
  if (typeof id === 'string')
    return separatedDigits.test(id)
      ? 'must not have separators between the digits'
      : 'must be a whole number, such as 42 or -7';
  if (typeof id !== 'bigint') return undefined;
  return `is too ${id < 0n ? 'small' : 'large'}: use up to 18 digits`;
}

/** Removes the problem of a field when its value changes. */
export function withoutChanged(problems: DraftProblems, before: Texts, after: Texts): DraftProblems {
  return mapFields((name) => (before[name] === after[name] ? problems[name] : undefined));
}

/** Whether a draft still contains a plant. If so, the form is cleared once the plant is stored. */
export function isDraftOf(draft: Texts, plant: NewPlant): boolean {
  const isSame = textNames.every((name) => withoutLastSpace(draft[name]) === (plant[name] ?? ''));
  return isSame && readId(draft.id) === plant.id;
}

/** Returns the typed plant. Leaves out empty fields, and removes one trailing space from changed texts. */
function readDraft({ id, ...texts }: Texts, before?: Plant): Record<string, unknown> {
  const kept = { ...texts };
  for (const name of textNames)
    if (texts[name] !== before?.[name]) kept[name] = withoutLastSpace(texts[name]);
  return { id: readId(id), ...withoutEmpty(kept) };
}

/** Rejected, because a comma or point could also be a decimal separator. */
const separatedDigits = /^[+-]?\d{1,3}([.,]\d{3})+$/;
/** Accepted, because spaces and apostrophes only group digits. */
const groupedDigits = /^[+-]?\d{1,3}([\s'’]\d{3})+$/;

/** The maximum number of parsed digits. An int64 has at most 19, and parsing millions of digits takes long. */
const maxDigits = 20;

/** Reads an ID exactly, in digits of any script. Anything else stays text, which the contract rejects. */
function readId(typed: string): bigint | string | undefined {
  const ascii = toAsciiNumber(typed);
  const text = groupedDigits.test(ascii) ? ascii.replaceAll(/[\s'’]/g, '') : ascii;
  if (text === '') return undefined;
  const [, sign = '', digits] = /^([+-]?)0*(\d+)$/.exec(text) ?? [];
  if (digits === undefined) return text;
  const value = BigInt(digits.slice(0, maxDigits));
  return sign === '-' ? -value : value;
}
