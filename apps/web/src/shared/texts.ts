import { fieldsetOf } from '@plant-store/contract/columns';
import type { Plant } from '@plant-store/contract/operations';
import { resources } from '@plant-store/contract/resources';
import { type FieldName, labelInSentence, textNames } from './fields.js';

/** The texts of a plant that has other members, and whether two plants have the same texts. */
export const { pick: pickTexts, isSame: hasSameTexts } = fieldsetOf<Plant>(resources.plant);

/** The texts that the contract requires. */
export const requiredTexts: readonly FieldName[] = textNames.filter(
  (name) => resources.plant.fields[name]?.required,
);

/** The nonempty texts: the members of a plant for the contract to check. */
export function withoutEmpty(texts: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''));
}

/** The fields in a sentence, such as `ID, name, and tag`. */
export function listFields(names: readonly FieldName[]): string {
  return new Intl.ListFormat('en-US').format(names.map(labelInSentence));
}
