import type { ClientInferRequest, ClientInferResponses } from '@ts-rest/core';
import { expectTypeOf, it } from 'vitest';
import type { contract } from './contract.js';
import type { RecordOperation } from './metadata.js';
import type { CreateResults, DeleteResults } from './operations.js';
import type { ResourceTypes } from './types.js';

type Contract = typeof contract;
type Name = keyof Contract;

/** The metadata of an operation on records, or `never`. */
type RecordMetadataOf<Each extends Name> = Extract<
  Contract[Each]['metadata'],
  { readonly resource: keyof ResourceTypes; readonly operation: RecordOperation }
>;

/** The operations on records. */
type OfRecords = { [Each in Name]: [RecordMetadataOf<Each>] extends [never] ? never : Each }[Name];

type TypesOf<Each extends OfRecords> = ResourceTypes[RecordMetadataOf<Each>['resource']];

/** What each operation takes and returns, by the types of its resource. */
interface Signatures<Types extends ResourceTypes[keyof ResourceTypes]> {
  create: { body: Types['createInput']; success: Types['fields'] };
  get: { success: Types['stored'] };
  list: { query?: Types['query']; success: Types['page'] };
  createMany: { body: Types['batch']; success: CreateResults };
  getMany: { body: Types['ids']; success: Types['getResults'] };
  updateMany: { body: Types['updates']; success: Types['updateResults'] };
  deleteMany: { body: Types['deletions']; success: DeleteResults };
  update: { body: Types['input']; success: Types['stored'] };
  delete: { success: undefined };
  changes: { success: Types['changePage'] };
  history: { success: Types['history'] };
}

/** The operations whose types follow from the resource only, and not from one of its fields. */
type Signed = {
  [Each in OfRecords]: RecordMetadataOf<Each>['operation'] extends 'count' ? never : Each;
}[OfRecords];

type SignatureOf<Each extends Signed> = Signatures<TypesOf<Each>>[RecordMetadataOf<Each>['operation'] &
  keyof Signatures<TypesOf<Each>>];

type PartOf<Of, Part extends string> = Of extends { [Key in Part]?: infer Value } ? Value : undefined;
type RequestOf<Each extends Name> = ClientInferRequest<Contract[Each]>;
type SuccessOf<Each extends Name> = Extract<
  ClientInferResponses<Contract[Each]>,
  { status: 200 | 204 }
>['body'];

it('an operation on records takes the body type of its resource', () => {
  expectTypeOf<{ [Each in Signed]: PartOf<RequestOf<Each>, 'body'> }>().toEqualTypeOf<{
    [Each in Signed]: PartOf<SignatureOf<Each>, 'body'>;
  }>();
});

it('a list takes the query of its resource', () => {
  type Lists = {
    [Each in Signed]: RecordMetadataOf<Each>['operation'] extends 'list' ? Each : never;
  }[Signed];
  expectTypeOf<{ [Each in Lists]: PartOf<RequestOf<Each>, 'query'> }>().toEqualTypeOf<{
    [Each in Lists]: PartOf<SignatureOf<Each>, 'query'>;
  }>();
});

it('an operation on records returns the types of its resource', () => {
  expectTypeOf<{ [Each in Signed]: SuccessOf<Each> }>().toEqualTypeOf<{
    [Each in Signed]: PartOf<SignatureOf<Each>, 'success'>;
  }>();
});

it('a count has a field of its resource', () => {
  type Counts = Exclude<OfRecords, Signed>;
  type Fields = {
    [Each in Counts]: RecordMetadataOf<Each> extends { readonly field: infer Field } ? Field : never;
  };
  expectTypeOf<Fields[Counts]>().toExtend<keyof TypesOf<Counts>['fields']>();
});
