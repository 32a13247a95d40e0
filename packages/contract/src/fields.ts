import type { Plant, PlantQuery } from './operations.js';

/** What is said of a field besides its schema, as plain data. */
export interface Field {
  /** What people call it. */
  readonly label: string;
  readonly required: boolean;
  /** Whether `q` of a list looks into it, and whether the parameter of its own name compares it. */
  readonly search?: true;
  readonly filter?: true;
  /** The first minor version that has it, such as `1.4`, if one before it had the resource without it. */
  readonly since?: string;
}

/** One entry for each field of a resource: no more, no less, and required if it is. */
export type FieldsOf<Resource> = {
  readonly [Name in keyof Resource]-?: Field & {
    readonly required: Pick<Resource, Name> extends Required<Pick<Resource, Name>> ? true : false;
  };
};

/** That exactly those fields are filters which a query has a parameter for. */
type FiltersOf<Resource> = {
  readonly [Name in keyof Resource]-?: Name extends keyof PlantQuery
    ? { readonly filter: true }
    : { readonly filter?: never };
};

/**
 * The fields of a plant, in their order in tables, files and forms. All of them are texts; besides them a stored plant has its id and
 * a time.
 */
export const plantFields = {
  name: { label: 'Name', required: true, search: true },
  tag: { label: 'Tag', required: false, filter: true },
} as const satisfies FieldsOf<Plant> & FiltersOf<Plant>;

export const plantFieldNames = namesOf(plantFields);

/** The fields that a list compares with the parameter of their name, and those that it searches for its `q`. */
export const plantFilters = plantFieldNames.filter(
  (name): name is keyof PlantQuery & keyof Plant => 'filter' in plantFields[name],
);
export const plantSearches = /* @__PURE__ */ plantFieldNames.filter((name) => 'search' in plantFields[name]);

/** The names of fields, in their order. */
export function namesOf<Name extends string>(fields: Readonly<Record<Name, Field>>): readonly Name[] {
  return Object.keys(fields) as Name[];
}

/** The fields that came after a minor version, such as `1.3`. */
export function fieldsAfter(
  version: string,
  fields: Readonly<Record<string, Field>> = plantFields,
): readonly string[] {
  return namesOf(fields).filter(
    (name) => (fields[name]?.since?.localeCompare(version, 'en', { numeric: true }) ?? 0) > 0,
  );
}

/** The fields of a plant that has others besides; one that it does not have is left out. */
export function fieldsOf(plant: Plant): Plant {
  const texts: { -readonly [Name in keyof Plant]?: Plant[Name] } = {};
  for (const name of plantFieldNames) if (plant[name] !== undefined) texts[name] = plant[name];
  return texts as Plant;
}

/** Whether two plants have the same texts; an empty one differs from none. */
export function hasSameFields(a: Plant, b: Plant): boolean {
  return plantFieldNames.every((name) => a[name] === b[name]);
}
