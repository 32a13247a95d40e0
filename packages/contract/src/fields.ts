import { fieldsetOf } from './columns.js';
import type { Plant, PlantQuery } from './operations.js';
import type { Field } from './resource.js';
import { resources } from './resources.js';

export type { Field } from './resource.js';

/** One entry for each field of a resource. */
export type FieldsOf<Resource> = Readonly<Record<keyof Resource, Field>>;

/** The fields of a plant, in their order in tables, files, and forms. */
export const plantFields = resources.plant.fields as FieldsOf<Plant>;

const { names, pick, isSame } = /* @__PURE__ */ fieldsetOf<Plant>(resources.plant);

export { isSame as hasSameFields, names as plantFieldNames, pick as fieldsOf };

/** The fields that a list compares with the parameter of their name, and those that it searches for its `q`. */
export const plantFilters = /* @__PURE__ */ names.filter(
  (name): name is keyof PlantQuery & keyof Plant => plantFields[name].filter === true,
);
export const plantSearches = /* @__PURE__ */ names.filter((name) => plantFields[name].search);

/** The names of fields, in their order. */
export function namesOf<Name extends string>(
  fields: Readonly<Record<Name, Partial<Field>>>,
): readonly Name[] {
  return Object.keys(fields) as Name[];
}
