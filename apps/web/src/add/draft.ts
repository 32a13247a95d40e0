import type { NewPlant } from '@plant-store/contract/operations';

/** The fields of the form, in their order on the page. */
export const draftFields = ['name', 'tag', 'id'] as const;
export type DraftField = (typeof draftFields)[number];

/** The labels of the fields. */
export const labels = { name: 'Name', tag: 'Tag', id: 'Id' } as const satisfies Record<DraftField, string>;

/** What is in the fields, as typed. */
export type Draft = Readonly<Record<DraftField, string>>;

/** What is wrong with each field, in a sentence; nothing for a field that is right. */
export type DraftProblems = { readonly [Field in DraftField]?: string };

/** The result of a check. */
export type CheckedDraft =
  | { readonly plant: NewPlant; readonly problems?: undefined }
  | { readonly plant?: undefined; readonly problems: DraftProblems };

/** Loads the contract's check; call it early, so that it is there when it is needed. */
export const loadPlantSchema = () => import('./plant-schema.js');

/**
 * Checks what was typed by the contract, whose messages it gives after the label of the field.
 *
 * @throws {Error} when the contract's check cannot be loaded
 */
export async function checkDraft(draft: Draft): Promise<CheckedDraft> {
  const { NewPlantSchema } = await loadPlantSchema();
  const { data, error } = NewPlantSchema.safeParse(readDraft(draft));
  if (data !== undefined) return { plant: data };
  const problems: Partial<Record<DraftField, string>> = {};
  for (const { path, message } of error?.issues ?? []) {
    const field = draftFields.find((name) => name === path[0]);
    if (field === undefined) continue;
    const before = problems[field];
    problems[field] =
      before === undefined ? `${labels[field]} ${message}.` : `${before.slice(0, -1)}; ${message}.`;
  }
  return { problems };
}

/** Whether the fields still hold a plant, so that they may be emptied once it is stored. */
export function isDraftOf(draft: Draft, { id, name, tag = '' }: NewPlant): boolean {
  return readId(draft.id.trim()) === id && draft.name === name && draft.tag === tag;
}

/** The members of the plant: a field that is empty is absent, and text is kept exactly. */
function readDraft({ id, name, tag }: Draft): Record<string, unknown> {
  return {
    id: readId(id.trim()),
    name: name === '' ? undefined : name,
    ...(tag !== '' && { tag }),
  };
}

/**
 * An id as a `bigint`, with every digit. The contract rejects anything else, which stays a text. Of a number that is out of
 * range anyway only the first digits count: to read millions of them takes long.
 */
function readId(text: string): bigint | string | undefined {
  if (text === '') return undefined;
  const [, sign = '', digits] = /^([+-]?)0*(\d+)$/.exec(text) ?? [];
  if (digits === undefined) return text;
  const value = BigInt(digits.slice(0, 20));
  return sign === '-' ? -value : value;
}
