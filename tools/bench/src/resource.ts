import { contract } from '@plant-store/contract';
import type { Resource } from '@plant-store/contract/resource';
import { resources } from '@plant-store/contract/resources';

/** The resources that can be measured, by their names. */
export const measurable: Readonly<Record<string, Resource>> = resources;

const [first] = Object.values(measurable);
if (first === undefined) throw new Error('There is no resource');

/** The resource that all targets have. */
export const defaultResource: Resource = first;

/** A record to create: the examples of its fields, unless it has others. */
export const exampleOf = ({ fields }: Resource, id: number, others: object = {}): object => ({
  id,
  ...Object.fromEntries(Object.entries(fields).map(([name, { example }]) => [name, example])),
  ...others,
});

/** The path of an operation of a resource that needs no id. */
export function pathOf({ name }: Resource, operation: 'count' | 'changes'): string {
  const found = Object.values(contract).find(
    ({ metadata }) =>
      'resource' in metadata && metadata.resource === name && metadata.operation === operation,
  );
  return found?.path ?? '';
}

/** The name of a field that lists search, or filter by. */
export const fieldFor = ({ fields }: Resource, use: 'search' | 'filter'): string =>
  Object.entries(fields).find(([, field]) => field[use])?.[0] ?? '';
