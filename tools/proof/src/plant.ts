import { fieldsOf, plantFieldNames, plantFields } from '@plant-store/contract/fields';
import type { NewPlant, Plant } from '@plant-store/contract/operations';
import fc from 'fast-check';

/** The members of a plant that is sent. */
export const memberNames: readonly (keyof NewPlant)[] = ['id', ...plantFieldNames];

export function isRequired(name: keyof Plant): boolean {
  return plantFields[name].required;
}

const requiredNames = plantFieldNames.filter(isRequired);

/** All that the row of a deleted plant may have. */
export const withoutTexts = Object.fromEntries(requiredNames.map((name) => [name, ''])) as Plant;

/** A plant in JSON. The id is written by hand: a number of JavaScript would round it. */
export function toJson(plant: NewPlant): string {
  return `{"id":${plant.id},${JSON.stringify(fieldsOf(plant)).slice(1)}`;
}

/** Plants of generated texts, now and then without those that are not required. */
export function plantWith(text: fc.Arbitrary<string>): fc.Arbitrary<Plant> {
  const texts = Object.fromEntries(plantFieldNames.map((name) => [name, text]));
  return fc.record(texts as Record<keyof Plant, typeof text>, { requiredKeys: requiredNames });
}
