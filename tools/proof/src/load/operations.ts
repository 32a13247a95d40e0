import type { Client } from '@plant-store/client';
import { contract } from '@plant-store/contract';
import type { Identity, TestedResource } from './records.js';

type Name = keyof typeof contract;

/** An operation on the records of a resource. */
export type Operation = Extract<
  (typeof contract)[Name]['metadata'],
  { readonly resource: string }
>['operation'];

function findOperationName({ name }: TestedResource, operation: Operation): Name | undefined {
  const names = Object.keys(contract) as Name[];
  const matches = ({ metadata }: (typeof contract)[Name]) =>
    'resource' in metadata && metadata.resource === name && metadata.operation === operation;
  return names.find((candidate) => matches(contract[candidate]));
}

/** Whether the API has an operation for a resource. */
export const hasOperation = (resource: TestedResource, operation: Operation): boolean =>
  findOperationName(resource, operation) !== undefined;

/** @throws {Error} if the resource does not have the operation */
function getOperationName(resource: TestedResource, operation: Operation): Name {
  const name = findOperationName(resource, operation);
  if (name === undefined) throw new Error(`There is no operation ${operation} for ${resource.plural}`);
  return name;
}

/** Returns an operation's method and path, with a record's ID if the path has one. */
export function requestOf(
  { resource, id }: { readonly resource: TestedResource; readonly id?: bigint | string },
  operation: Operation,
): readonly [method: string, path: string] {
  const { method, path } = contract[getOperationName(resource, operation)];
  return [method, path.replace(':id', `${id}`)];
}

/** The arguments of a call with the client. */
interface Call {
  readonly params?: Pick<Identity, 'id'>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: object;
  readonly body?: object;
}

/** Returns the client's function for an operation of a resource. */
export function callOf(client: Client, resource: TestedResource, operation: Operation) {
  type Function = (call: Call) => Promise<{ readonly status: number; readonly body: unknown }>;
  const calls = client as unknown as { readonly [Each in Name]: Function };
  return calls[getOperationName(resource, operation)];
}
