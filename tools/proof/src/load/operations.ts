import type { Client } from '@plant-store/client';
import { type Route, routes } from '@plant-store/contract/routes';
import type { Identity, Subject } from './records.js';

/** What is done with the records of a resource. */
export type Operation =
  | 'create'
  | 'createMany'
  | 'get'
  | 'getMany'
  | 'update'
  | 'delete'
  | 'deleteMany'
  | 'list'
  | 'count'
  | 'changes';

/** The names of the operations of each resource. */
const names: Readonly<Record<string, { readonly [Each in Operation]?: keyof typeof routes }>> = {
  plant: {
    ...{ create: 'createPlant', createMany: 'createPlants', get: 'getPlant', getMany: 'getPlants' },
    ...{ update: 'updatePlant', delete: 'deletePlant', deleteMany: 'deletePlants', list: 'listPlants' },
    ...{ count: 'listTags', changes: 'listChanges' },
  },
};

const findName = ({ name }: Subject, operation: Operation) => names[name]?.[operation];

/** Whether the API has an operation for a resource. */
export const has = (resource: Subject, operation: Operation): boolean =>
  findName(resource, operation) !== undefined;

function findOperation(resource: Subject, operation: Operation) {
  const name = findName(resource, operation);
  if (name === undefined) throw new Error(`There is no operation ${operation} for ${resource.plural}`);
  return name;
}

/** The method and the path of an operation, of one record where it needs one. */
export function requestOf(
  { resource, id }: { readonly resource: Subject; readonly id?: bigint | string },
  operation: Operation,
): readonly [Route['method'], path: string] {
  const { method, path } = routes[findOperation(resource, operation)];
  return [method, path.replace(':id', `${id}`)];
}

/** A call of an operation by the client. */
interface Call {
  readonly params?: Pick<Identity, 'id'>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: object;
  readonly body?: object;
}

/** Calls an operation of a resource by the client. */
export function callOf(client: Client, resource: Subject, operation: Operation) {
  type Function = (call: Call) => Promise<{ readonly status: number; readonly body: unknown }>;
  const calls = client as unknown as { readonly [Name in keyof typeof routes]: Function };
  return calls[findOperation(resource, operation)];
}
