import type { ClientInferRequest, ClientInferResponses, ServerInferRequest } from '@ts-rest/core';
import { expectTypeOf, test } from 'vitest';
import type { contract } from './contract.js';
import type { ErrorBody, ErrorName, errors } from './errors/errors.js';
import type { NewPlant, NewPlantInput, Operations, Plant } from './operations.js';

type Operation = typeof contract.createPlant;
type Reply = ClientInferResponses<Operation>;
type BodyOf<Status extends Reply['status']> = Extract<Reply, { status: Status }>['body'];

test('the operation is POST /plants', () => {
  expectTypeOf<Operation['method']>().toEqualTypeOf<'POST'>();
  expectTypeOf<Operation['path']>().toEqualTypeOf<'/plants'>();
});

test('a client sends an id as number or bigint', () => {
  expectTypeOf<ClientInferRequest<Operation>['body']>().toEqualTypeOf<NewPlantInput>();
});

test('the service is handed a validated NewPlant', () => {
  expectTypeOf<ServerInferRequest<Operation>['body']>().toEqualTypeOf<NewPlant>();
});

test('the statuses are those of the contract and no other', () => {
  expectTypeOf<Reply['status']>().toEqualTypeOf<200 | 400 | 401 | 429 | 500 | 503>();
});

test('the status tells the body', () => {
  expectTypeOf<BodyOf<200>>().toEqualTypeOf<Plant>();
  expectTypeOf<BodyOf<400>>().toEqualTypeOf<ErrorBody<400>>();
  expectTypeOf<BodyOf<401>>().toEqualTypeOf<ErrorBody<401>>();
  expectTypeOf<BodyOf<429>>().toEqualTypeOf<ErrorBody<429>>();
  expectTypeOf<BodyOf<500>>().toEqualTypeOf<ErrorBody<500>>();
  expectTypeOf<BodyOf<503>>().toEqualTypeOf<ErrorBody<503>>();
});

test('the numbers of an Error body are those that are listed for its status', () => {
  expectTypeOf<ErrorBody<401>>().toEqualTypeOf<{ error: 40100 | 40101; message: string }>();
  expectTypeOf<ErrorBody<429>['error']>().toEqualTypeOf<42900>();
  expectTypeOf<ErrorBody<502>['error']>().toEqualTypeOf<never>();
  expectTypeOf<ErrorBody['error']>().toEqualTypeOf<(typeof errors)[ErrorName]['error']>();
});

test('the operations as types are those of the contract', () => {
  expectTypeOf<keyof Operations>().toEqualTypeOf<keyof typeof contract>();
  type Described = Operations['createPlant'];
  expectTypeOf<Described['path']>().toEqualTypeOf<Operation['path']>();
  expectTypeOf<Described['body']>().toEqualTypeOf<ClientInferRequest<Operation>['body']>();
  expectTypeOf<keyof Described['responses']>().toEqualTypeOf<Reply['status']>();
  expectTypeOf<Described['responses'][200]>().toEqualTypeOf<BodyOf<200>>();
  expectTypeOf<Described['responses'][400]>().toEqualTypeOf<BodyOf<400>>();
  expectTypeOf<Described['responses'][503]>().toEqualTypeOf<BodyOf<503>>();
});
