import { contract } from '@plant-store/contract';
import type { Resource } from '@plant-store/contract/resource';
import { resources } from '@plant-store/contract/resources';

/** The resources that can be measured, by name. */
export const measurableResources: Readonly<Record<string, Resource>> = resources;

const [first] = Object.values(measurableResources);
if (first === undefined) throw new Error('There is no resource');

/** The resource that all targets have. */
export const defaultResource: Resource = first;

/** Returns a record to create, with the fields' example values, except for `overrides`. */
export const exampleOf = ({ fields }: Resource, id: number, overrides: object = {}): object => ({
  id,
  ...Object.fromEntries(Object.entries(fields).map(([name, { example }]) => [name, example])),
  ...overrides,
});

/** Returns the path of a resource's operation. Empty if the resource does not have the operation. */
export function pathOf({ name }: Resource, operation: 'count' | 'changes'): string {
  const found = Object.values(contract).find(
    ({ metadata }) =>
      'resource' in metadata && metadata.resource === name && metadata.operation === operation,
  );
  return found?.path ?? '';
}

/** Returns the name of a field that lists can search or filter by. Empty if there is none. */
export const fieldFor = ({ fields }: Resource, use: 'search' | 'filter'): string =>
  Object.entries(fields).find(([, field]) => field[use])?.[0] ?? '';
