import type { ClientInferRequest, ClientInferResponses, InitClientReturn } from '@ts-rest/core';
import { describe, expectTypeOf, it, test } from 'vitest';
import type { contract } from './contract.js';
import type { ErrorBody } from './errors.js';
import type { Operations, ReadOperation } from './operations.js';
import type { int64Members, routes } from './routes.js';

test("ts-rest's client makes a caller choose a condition of an update", () => {
  const { updatePlant } = {} as InitClientReturn<typeof contract, { baseUrl: string }>;
  const plant = { params: { id: 1n }, body: { name: 'Fern' } };
  expectTypeOf(updatePlant).toBeCallableWith({ ...plant, headers: { 'if-match': '"x"' } });
  expectTypeOf(updatePlant).toBeCallableWith({ ...plant, headers: { 'if-none-match': '*' } });
  expectTypeOf(updatePlant).toBeCallableWith({
    ...plant,
    headers: { 'if-match': '*', 'if-none-match': '"x"' },
  });
  // @ts-expect-error no condition
  expectTypeOf(updatePlant).toBeCallableWith({ ...plant, headers: {} });
  // @ts-expect-error no headers
  expectTypeOf(updatePlant).toBeCallableWith(plant);
});

type Names = keyof typeof contract;
type RequestOf<Name extends Names> = ClientInferRequest<(typeof contract)[Name]>;
type ReplyOf<Name extends Names> = ClientInferResponses<(typeof contract)[Name]>;
type PartOf<Request, Part extends string> = Request extends { [Key in Part]?: infer Value }
  ? Value
  : undefined;

describe('each operation as types is that of the contract', () => {
  type Parts<Part extends string> = { [Name in Names]: PartOf<Operations[Name], Part> };

  it('by its name', () => {
    expectTypeOf<keyof Operations>().toEqualTypeOf<Names>();
    expectTypeOf<keyof typeof routes>().toEqualTypeOf<Names>();
  });

  it('by the parameters in its path', () => {
    type Expected = { [Name in Names]: PartOf<RequestOf<Name>, 'params'> };
    expectTypeOf<Parts<'params'>>().toEqualTypeOf<Expected>();
  });

  it('by its query', () => {
    type QueryOf<Name extends Names> = PartOf<RequestOf<Name>, 'query'>;
    type Expected = {
      // One without members is there to reject any parameter.
      [Name in Names]: keyof QueryOf<Name> extends never ? undefined : QueryOf<Name>;
    };
    expectTypeOf<Parts<'query'>>().toEqualTypeOf<Expected>();
  });

  it('by whether it only reads', () => {
    type Reads = {
      [Name in Names]: (typeof contract)[Name] extends
        | { method: 'GET' }
        | { metadata: { readonly scope: 'read' } }
        ? Name
        : never;
    }[Names];
    expectTypeOf<ReadOperation>().toEqualTypeOf<Reads>();
  });

  it('by its body', () => {
    type Expected = { [Name in Names]: PartOf<RequestOf<Name>, 'body'> };
    expectTypeOf<Parts<'body'>>().toEqualTypeOf<Expected>();
  });

  it('by the body of each reply', () => {
    type Expected = {
      [Name in Names]: {
        [Each in ReplyOf<Name> as Exclude<PartOf<Each, 'status'> & number, OfConditions<Name>>]: PartOf<
          Each,
          'body'
        >;
      };
    };
    /** A get without a condition has no such reply. */
    type OfConditions<Name extends Names> = (typeof contract)[Name]['metadata'] extends {
      readonly operation: 'get';
    }
      ? 304 | 412
      : never;
    // ts-rest's types list the errors of a status, whatever the operation.
    type WithAnyError<Replies> = {
      [Status in keyof Replies]: Replies[Status] extends { error: number } ? ErrorBody : Replies[Status];
    };
    expectTypeOf<{ [Name in Names]: WithAnyError<Parts<'responses'>[Name]> }>().toEqualTypeOf<{
      [Name in Names]: WithAnyError<Expected[Name]>;
    }>();
    expectTypeOf<Parts<'responses'>>().toExtend<Expected>();
  });
});

test('the members that clients read as an int64 are those that are a bigint in a reply', () => {
  type BigintsOf<Value> = Value extends readonly (infer Item)[]
    ? BigintsOf<Item>
    : Value extends object
      ? {
          [Name in keyof Value]-?: Extract<
            Value[Name] extends readonly unknown[] ? Value[Name][number] : Value[Name],
            bigint
          > extends never
            ? BigintsOf<Value[Name]>
            : Name;
        }[keyof Value]
      : never;
  type Bodies = { [Name in keyof Operations]: BigintsOf<Operations[Name]['responses']> }[keyof Operations];
  expectTypeOf<Bodies>().toEqualTypeOf<(typeof int64Members)[number]>();
});
