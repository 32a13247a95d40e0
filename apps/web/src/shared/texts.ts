import { fieldsetOf } from '@plant-store/contract/columns';
import type { Plant } from '@plant-store/contract/operations';
import { resources } from '@plant-store/contract/resources';
import { type FieldName, labelInSentence, textNames } from './fields.js';

/** `pickTexts` returns the text fields of a plant without its other members. `hasSameTexts` compares these fields of two plants. */
export const { pick: pickTexts, isSame: hasSameTexts } = fieldsetOf<Plant>(resources.plant);

/** The text fields that the contract requires. */
export const requiredTexts: readonly FieldName[] = textNames.filter(
  (name) => resources.plant.fields[name]?.required,
);

/** Removes empty texts, which count as absent. */
export function withoutEmpty(texts: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''));
}

/** Lists fields within a sentence, such as `ID, name, and tag`. */
export function listFields(names: readonly FieldName[]): string {
  return new Intl.ListFormat('en-US').format(names.map(labelInSentence));
}
