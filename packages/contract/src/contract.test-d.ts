import type { ClientInferRequest, ClientInferResponses, ServerInferRequest } from '@ts-rest/core';
import { expectTypeOf, test } from 'vitest';
import type { contract } from './contract.js';
import type { ErrorBody } from './error-schema.js';
import type { NewPlant, Plant } from './plant.js';

type Operation = typeof contract.createPlant;
type Reply = ClientInferResponses<Operation>;
type BodyOf<Status extends Reply['status']> = Extract<Reply, { status: Status }>['body'];

test('the operation is POST /plants', () => {
  expectTypeOf<Operation['method']>().toEqualTypeOf<'POST'>();
  expectTypeOf<Operation['path']>().toEqualTypeOf<'/plants'>();
});

test('a client sends an id as number or bigint', () => {
  expectTypeOf<ClientInferRequest<Operation>['body']>().toEqualTypeOf<{
    id: number | bigint;
    name: string;
    tag?: string | undefined;
  }>();
});

test('the service is handed a validated NewPlant', () => {
  expectTypeOf<ServerInferRequest<Operation>['body']>().toEqualTypeOf<NewPlant>();
});

test('the statuses are those of the contract and no other', () => {
  expectTypeOf<Reply['status']>().toEqualTypeOf<200 | 400 | 401 | 429 | 500 | 503>();
});

test('the status tells the body', () => {
  expectTypeOf<BodyOf<200>>().toEqualTypeOf<Plant>();
  expectTypeOf<BodyOf<400>>().toEqualTypeOf<ErrorBody>();
  expectTypeOf<BodyOf<401>>().toEqualTypeOf<ErrorBody>();
  expectTypeOf<BodyOf<429>>().toEqualTypeOf<ErrorBody>();
  expectTypeOf<BodyOf<500>>().toEqualTypeOf<ErrorBody>();
  expectTypeOf<BodyOf<503>>().toEqualTypeOf<ErrorBody>();
  expectTypeOf<ErrorBody>().toEqualTypeOf<{ error: number; message: string }>();
});
