import type { Plant } from '@plant-store/contract/operations';
import { namesOf } from '@plant-store/contract/resource';
import { resources } from '@plant-store/contract/resources';

const { fields } = resources.plant;

/** The names of a plant's text fields, in order. */
export const textNames = namesOf<Plant>(resources.plant);

export type TextName = keyof Plant;

/** The fields of a plant that a person enters: its ID and its texts. */
export type FieldName = 'id' | TextName;

/** A value for each field. */
export type ByField<Value> = { readonly [Name in FieldName]: Value };

/** The fields of a plant as a person types them. An empty field counts as absent. */
export type Texts = ByField<string>;

/** The fields in the order of file columns. A form shows the ID last. */
export const fieldNames: readonly FieldName[] = ['id', ...textNames];

/** The labels of the fields. */
export const labels: ByField<string> = mapFields((name) => fields[name]?.label ?? 'ID');

/** Returns a field's label for use within a sentence, such as `name` or `ID`. */
export const labelInSentence = (name: FieldName): string =>
  name === 'id' ? labels.id : labels[name].toLowerCase();

/** The texts of an empty form. */
export const noTexts: Texts = mapFields(() => '');

/** Makes a value for each field. */
export function mapFields<Value>(make: (name: FieldName) => Value): ByField<Value> {
  return Object.fromEntries(fieldNames.map((name) => [name, make(name)])) as ByField<Value>;
}
