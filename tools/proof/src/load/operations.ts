import type { Client } from '@plant-store/client';
import { contract } from '@plant-store/contract';
import type { Identity, Subject } from './records.js';

type Name = keyof typeof contract;

/** An operation on the records of a resource. */
export type Operation = Extract<
  (typeof contract)[Name]['metadata'],
  { readonly resource: string }
>['operation'];

function find({ name }: Subject, operation: Operation): Name | undefined {
  const names = Object.keys(contract) as Name[];
  const isFound = ({ metadata }: (typeof contract)[Name]) =>
    'resource' in metadata && metadata.resource === name && metadata.operation === operation;
  return names.find((each) => isFound(contract[each]));
}

/** Whether the API has an operation for a resource. */
export const has = (resource: Subject, operation: Operation): boolean =>
  find(resource, operation) !== undefined;

function nameOfOperation(resource: Subject, operation: Operation): Name {
  const name = find(resource, operation);
  if (name === undefined) throw new Error(`There is no operation ${operation} for ${resource.plural}`);
  return name;
}

/** The method and path of an operation, with a record's id if it needs one. */
export function requestOf(
  { resource, id }: { readonly resource: Subject; readonly id?: bigint | string },
  operation: Operation,
): readonly [method: string, path: string] {
  const { method, path } = contract[nameOfOperation(resource, operation)];
  return [method, path.replace(':id', `${id}`)];
}

/** A call of an operation with the client. */
interface Call {
  readonly params?: Pick<Identity, 'id'>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: object;
  readonly body?: object;
}

/** Calls an operation of a resource with the client. */
export function callOf(client: Client, resource: Subject, operation: Operation) {
  type Function = (call: Call) => Promise<{ readonly status: number; readonly body: unknown }>;
  const calls = client as unknown as { readonly [Each in Name]: Function };
  return calls[nameOfOperation(resource, operation)];
}
