import type { contract } from '@plant-store/contract';
import type { Operations } from '@plant-store/contract/operations';
import type { routes } from '@plant-store/contract/routes';
import { describe, expectTypeOf, it } from 'vitest';
import type { Client, IfMatch, OperationName, ReplyOf, RequestOf } from './client.js';
import { createClient } from './create-client.js';
import { errors, type NewToken, type Scope } from './index.js';
import type { CallOptions, Fetch } from './options.js';

const client = createClient({ baseUrl: 'https://example.com', token: 'pst_secret' });

describe('a client', () => {
  it('has the operations of the contract, and each is one of the routes', () => {
    expectTypeOf(client).toEqualTypeOf<Client>();
    expectTypeOf<OperationName>().toEqualTypeOf<keyof typeof contract>();
    expectTypeOf<OperationName>().toEqualTypeOf<keyof typeof routes>();
    expectTypeOf<keyof Client>().toEqualTypeOf<OperationName | 'baseUrl' | 'withOptions'>();
  });

  it('names the scopes of a token', () => {
    expectTypeOf<NewToken['scopes']>().toEqualTypeOf<Scope[]>();
  });

  it('takes what each operation takes, and the options of a call', () => {
    type Own = keyof Omit<CallOptions, 'headers'> | 'ifMatch';
    type InHeaders<Request> = Request extends IfMatch ? never : Omit<Request, Own>;
    type Inputs = { [Name in keyof Operations]: InHeaders<RequestOf<Name>> };
    type WithHeaders<Input> = Omit<Input, 'headers'> & Pick<CallOptions, 'headers'>;
    type Expected = { [Name in keyof Operations]: Omit<Operations[Name], 'responses'> };
    expectTypeOf<Inputs>().toExtend<Expected>();
    expectTypeOf<{ [Name in keyof Operations]: WithHeaders<Expected[Name]> }>().toExtend<{
      [Name in keyof Operations]: WithHeaders<Inputs[Name]>;
    }>();
  });

  it('takes the fetch of the platform', () => {
    expectTypeOf<typeof globalThis.fetch>().toExtend<Fetch>();
  });
});

describe('the body of a failure', () => {
  const read = (reply: ReplyOf<'createPlant'>) => {
    switch (reply.status) {
      case 401:
        expectTypeOf(reply.body.error).toEqualTypeOf<40100 | 40101>();
        return;
      case 429:
        expectTypeOf(reply.body.error).toEqualTypeOf<42900>();
        return;
      case 503:
        expectTypeOf(reply.body.error).toEqualTypeOf<50300 | 50301 | 50302 | 50303 | 50304>();
        return;
      case 400:
        break;
      default:
        return;
    }
    switch (reply.body.error) {
      case errors.id_taken.error:
        expectTypeOf(reply.body.error).toEqualTypeOf<40003>();
        break;
      // @ts-expect-error no error of this status
      case errors.missing_token.error:
        break;
    }
  };

  it('has the status as number literals, so the compiler checks a switch', () => {
    expectTypeOf(read).returns.toBeVoid();
  });

  it('of a get can be 304 or 412 only with a condition', () => {
    const get = { params: { id: 1 } };
    const conditional = () => client.getPlant({ ...get, headers: { 'if-none-match': '"a"' } });
    type Conditional = Awaited<ReturnType<typeof conditional>>;
    expectTypeOf<Conditional['status'] & (304 | 412)>().toEqualTypeOf<304 | 412>();
    expectTypeOf<Extract<Conditional, { status: 304 }>['body']>().toEqualTypeOf<undefined>();
    const plain = () => client.getPlant({ ...get, headers: { 'x-tenant': 'a' } });
    expectTypeOf(plain).returns.resolves.toEqualTypeOf<ReplyOf<'getPlant'>>();
    expectTypeOf<ReplyOf<'getPlant'>['status'] & (304 | 412)>().toEqualTypeOf<never>();
  });

  it('has no number that the operation cannot return', () => {
    type Failure = Exclude<ReplyOf<'getPlant'>, { status: 200 }>['body']['error'];
    type OfPlant = 40000 | 40401;
    type OfAll = 40100 | 40101 | 40300 | 42900 | 50000 | 50300 | 50301 | 50302 | 50303 | 50304;
    expectTypeOf<Failure>().toEqualTypeOf<OfPlant | OfAll>();
  });
});
