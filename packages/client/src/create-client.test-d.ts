import type { contract, ErrorBody, Plant } from '@plant-store/contract';
import type { ExactJson } from '@plant-store/contract/exact-json/stringify';
import type { routes } from '@plant-store/contract/routes';
import { describe, expectTypeOf, it } from 'vitest';
import type { Client, Operation, ReplyOf, RequestOf } from './client.js';
import { createClient } from './create-client.js';
import type { Fetch } from './exchange.js';

const client = createClient({ baseUrl: 'https://example.com', token: 'pst_secret' });

describe('a client', () => {
  it('has the operations of the contract, and each is one of the routes', () => {
    expectTypeOf(client).toEqualTypeOf<Client>();
    expectTypeOf<keyof Client>().toEqualTypeOf<keyof typeof contract>();
    expectTypeOf<keyof Client>().toEqualTypeOf<keyof typeof routes>();
  });

  it('can write every body that the contract takes', () => {
    expectTypeOf<RequestOf<keyof Client>['body']>().toExtend<ExactJson>();
  });

  it('takes the fetch of the platform', () => {
    expectTypeOf<typeof globalThis.fetch>().toExtend<Fetch>();
  });
});

describe('createPlant', () => {
  it('takes an id as number or bigint, a name and maybe a tag', () => {
    expectTypeOf<RequestOf<'createPlant'>>().toEqualTypeOf<{
      readonly body: { id: number | bigint; name: string; tag?: string | undefined };
    }>();
    client.createPlant({ body: { id: 1, name: 'Fern' } });
    client.createPlant({ body: { id: 1n, name: 'Fern', tag: 'indoor' } });
  });

  it('takes nothing else', () => {
    // @ts-expect-error no request
    client.createPlant();
    // @ts-expect-error no id
    client.createPlant({ body: { name: 'Fern' } });
    // @ts-expect-error a string for an id
    client.createPlant({ body: { id: '1', name: 'Fern' } });
    // @ts-expect-error no name
    client.createPlant({ body: { id: 1 } });
    // @ts-expect-error a misspelt field
    client.createPlant({ body: { id: 1, name: 'Fern', tags: 'indoor' } });
    // @ts-expect-error null for a tag
    client.createPlant({ body: { id: 1, name: 'Fern', tag: null } });
  });

  it('gives a union that narrows by status', () => {
    expectTypeOf(client.createPlant).returns.resolves.toEqualTypeOf<ReplyOf<'createPlant'>>();
    expectTypeOf<ReplyOf<'createPlant'>['status']>().toEqualTypeOf<200 | 400 | 401 | 429 | 500 | 503>();
    expectTypeOf<ReplyOf<'createPlant'>['headers']>().toEqualTypeOf<Headers>();

    const read = (reply: ReplyOf<'createPlant'>) => {
      if (reply.status === 200) {
        expectTypeOf(reply.body).toEqualTypeOf<Plant>();
        expectTypeOf(reply.body).toEqualTypeOf<{ name: string; tag?: string | undefined }>();
      } else {
        expectTypeOf(reply.body).toEqualTypeOf<ErrorBody>();
        expectTypeOf(reply.body).toEqualTypeOf<{ error: number; message: string }>();
      }
    };
    expectTypeOf(read).returns.toBeVoid();
  });
});

describe('an operation without a body', () => {
  it('takes nothing', () => {
    type CountPlants = Operation<{ responses: Pick<(typeof contract)['createPlant']['responses'], 200> }>;
    expectTypeOf<Parameters<CountPlants>>().toEqualTypeOf<[]>();
    expectTypeOf<Awaited<ReturnType<CountPlants>>['body']>().toEqualTypeOf<Plant>();
  });
});
