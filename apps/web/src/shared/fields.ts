import { fieldsetOf } from '@plant-store/contract/columns';
import type { Plant } from '@plant-store/contract/operations';
import { resources } from '@plant-store/contract/resources';

const { fields } = resources.plant;

/** The names of a plant's texts, in their order; the texts of a plant that has other members; and whether two plants have the same texts. */
export const {
  names: textNames,
  pick: pickTexts,
  isSame: hasSameFields,
} = fieldsetOf<Plant>(resources.plant);

/** What a person enters of a plant: its id, and its texts. */
export type FieldName = 'id' | keyof Plant;

/** A value for each field. */
export type ByField<Value> = { readonly [Name in FieldName]: Value };

/** The fields of a plant as a person writes them: an empty one cannot be told from one that is absent. */
export type Texts = ByField<string>;

/** In their order in files; a form has the id last. */
export const fieldNames: readonly FieldName[] = ['id', ...textNames];

/** The texts without which the contract takes no plant. */
export const requiredTexts: readonly FieldName[] = textNames.filter((name) => fields[name]?.required);

/** What people call the fields. */
export const labels: ByField<string> = mapFields((name) => fields[name]?.label ?? 'Id');

/** Before anything is entered. */
export const noTexts: Texts = mapFields(() => '');

/** Makes a value for each field. */
export function mapFields<Value>(make: (name: FieldName) => Value): ByField<Value> {
  return Object.fromEntries(fieldNames.map((name) => [name, make(name)])) as ByField<Value>;
}

/** What a person has written, without what is empty: the members of a plant, for the contract to check. */
export function withoutEmpty(texts: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''));
}

/** The fields in a sentence, such as `id, name and tag`. */
export function listFields(names: readonly FieldName[]): string {
  return new Intl.ListFormat('en-GB').format(names.map((name) => labels[name].toLowerCase()));
}
