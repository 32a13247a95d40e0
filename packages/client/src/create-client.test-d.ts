import type { contract, NewPlantInput, Plant } from '@plant-store/contract';
import type { ExactJson } from '@plant-store/contract/exact-json/stringify';
import type { routes } from '@plant-store/contract/routes';
import type { InitClientReturn } from '@ts-rest/core';
import { describe, expectTypeOf, it } from 'vitest';
import type { Client, ClientOf, ReplyOf, RequestOf } from './client.js';
import { createClient } from './create-client.js';
import { type ErrorNumber, errors } from './index.js';
import type { Fetch } from './options.js';

const client = createClient({ baseUrl: 'https://example.com', token: 'pst_secret' });

describe('a client', () => {
  it('has the operations of the contract, and each is one of the routes', () => {
    expectTypeOf(client).toEqualTypeOf<Client>();
    expectTypeOf<keyof Client>().toEqualTypeOf<keyof typeof contract>();
    expectTypeOf<keyof Client>().toEqualTypeOf<keyof typeof routes>();
  });

  it('can write every body that the contract takes', () => {
    type Bodies = {
      [Name in keyof Client]: NonNullable<RequestOf<Name>> extends { readonly body: infer Body }
        ? Body
        : never;
    }[keyof Client];
    expectTypeOf<Bodies>().toExtend<ExactJson>();
  });

  it('takes the fetch of the platform', () => {
    expectTypeOf<typeof globalThis.fetch>().toExtend<Fetch>();
  });
});

describe('createPlant', () => {
  it('takes an id as number or bigint, a name and an optional tag', () => {
    expectTypeOf<RequestOf<'createPlant'>['body']>().toEqualTypeOf<NewPlantInput>();
    client.createPlant({ body: { id: 1, name: 'Fern' } });
    client.createPlant({ body: { id: 1n, name: 'Fern', tag: 'indoor' } });
  });

  it('requires a body', () => {
    // @ts-expect-error no request
    client.createPlant();
    // @ts-expect-error no body
    client.createPlant({});
  });

  it('resolves to a union that narrows by status', () => {
    expectTypeOf(client.createPlant).returns.resolves.toEqualTypeOf<ReplyOf<'createPlant'>>();
    expectTypeOf<ReplyOf<'createPlant'>['status']>().toEqualTypeOf<200 | 400 | 401 | 403 | 429 | 500 | 503>();
    expectTypeOf<ReplyOf<'createPlant'>['headers']>().toEqualTypeOf<Headers>();

    const read = (reply: ReplyOf<'createPlant'>) => {
      if (reply.status === 200) {
        expectTypeOf(reply.body).toEqualTypeOf<Plant>();
      } else {
        expectTypeOf(reply.body).toExtend<{ error: number; message: string }>();
      }
    };
    expectTypeOf(read).returns.toBeVoid();
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
        expectTypeOf(reply.body.error).toEqualTypeOf<ErrorNumber<503>>();
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

  it('has the numbers of its status, so that a switch is checked', () => {
    expectTypeOf(read).returns.toBeVoid();
  });

  it('may be any listed number while the status is unknown', () => {
    type Failure = Exclude<ReplyOf<'createPlant'>, { status: 200 }>;
    expectTypeOf<Failure['body']['error']>().toEqualTypeOf<ErrorNumber<400 | 401 | 403 | 429 | 500 | 503>>();
  });
});

describe("ts-rest's client", () => {
  it('can be replaced by this one', () => {
    // Their headers are optional in ts-rest. This client requires a condition of an update, and sends none with the others.
    type Others = Omit<typeof contract, 'correctPlant' | 'deletePlant'>;
    expectTypeOf<Client>().toExtend<InitClientReturn<Others, { baseUrl: string }>>();
  });
});

describe('the client of other operations', () => {
  type Other = ClientOf<{
    countPlants: { responses: { 200: { count: number } } };
    findLeaf: {
      params: { plantId: number | bigint; leafId: string | number };
      query: { colour?: string | undefined };
      responses: { 200: Plant; 404: Plant };
    };
  }>;

  it('may be called without an argument where nothing is required', () => {
    expectTypeOf<Other['countPlants']>().toBeCallableWith();
    expectTypeOf<Awaited<ReturnType<Other['countPlants']>>['body']>().toEqualTypeOf<{ count: number }>();
  });

  it('requires the parameters of a path and takes a query', () => {
    type Find = Other['findLeaf'];
    expectTypeOf<Find>().toBeCallableWith({ params: { plantId: 1n, leafId: 'a' } });
    expectTypeOf<Find>().toBeCallableWith({ params: { plantId: 1, leafId: 2 }, query: { colour: 'red' } });
    expectTypeOf<Parameters<Find>>().not.toEqualTypeOf<[]>();
    const find = {} as Find;
    // @ts-expect-error no parameters
    find({});
    // @ts-expect-error one parameter is missing
    find({ params: { plantId: 1 } });
    // @ts-expect-error a query of another shape
    find({ params: { plantId: 1, leafId: 2 }, query: { colour: 1 } });
  });
});
