import { type ErrorNumber, errors } from '@plant-store/contract/errors';
import type { Plant } from '@plant-store/contract/operations';
import { describe, expectTypeOf, it } from 'vitest';
import type { ErrorOf, ReplyOf } from './client.js';
import { createClient } from './create-client.js';
import { ensureSuccess, isRejectedError, type RejectedError, unwrap } from './unwrap.js';

const client = createClient({ baseUrl: 'https://example.com', token: 'pst_secret' });
const request = { body: { id: 1, name: 'Fern' } };

describe('unwrap', () => {
  it('returns the plant of a reply, of its promise, and as a callback of a promise', () => {
    expectTypeOf(unwrap({} as ReplyOf<'createPlant'>)).toEqualTypeOf<Plant>();
    expectTypeOf(unwrap(client.createPlant(request))).toEqualTypeOf<Promise<Plant>>();
    expectTypeOf(client.createPlant(request).then(unwrap)).resolves.toEqualTypeOf<Plant>();
  });

  it('narrows a reply to the successful ones', () => {
    expectTypeOf(ensureSuccess({} as ReplyOf<'createPlant'>).status).toEqualTypeOf<200>();
    expectTypeOf(client.createPlant(request).then(ensureSuccess)).resolves.toHaveProperty('replayed');
  });

  it('accepts only a reply', () => {
    // @ts-expect-error a plant is not a reply
    unwrap({ name: 'Fern' });
    // @ts-expect-error a response of fetch is not a reply of the client
    unwrap(fetch('https://example.com'));
  });
});

describe('a caught error', () => {
  type Rejection = Extract<ErrorOf<'createPlant'>, { readonly name: 'RejectedError' }>;

  it('has the requested status and error', () => {
    const error: unknown = undefined;
    if (isRejectedError(error, errors.id_taken.error)) {
      expectTypeOf(error).toEqualTypeOf<RejectedError<40003>>();
      expectTypeOf(error.error).toEqualTypeOf<40003>();
      expectTypeOf(error.status).toEqualTypeOf<400>();
    }
    if (isRejectedError(error, errors.overloaded.error, errors.rate_limited.error)) {
      expectTypeOf(error.status).toEqualTypeOf<429 | 503>();
      expectTypeOf(error.message).toEqualTypeOf<string>();
    }
    // @ts-expect-error no error of the table
    isRejectedError(error, 40099);
  });

  it('of one number is one of any number', () => {
    expectTypeOf<RejectedError<40003>>().toExtend<RejectedError>();
    expectTypeOf<Rejection>().toExtend<RejectedError>();
    expectTypeOf<RejectedError>().not.toExtend<RejectedError<40003>>();
  });

  it('narrows by error, and by status', () => {
    const error: unknown = undefined;
    if (!isRejectedError(error)) return;
    expectTypeOf(error.error).toEqualTypeOf<ErrorNumber>();
    if (error.error === errors.overloaded.error) expectTypeOf(error.status).toEqualTypeOf<503>();
    if (error.status === 429) expectTypeOf(error.error).toEqualTypeOf<42900>();
  });

  it('has the rejections of an operation, if that is known', () => {
    const error = {} as Rejection;
    switch (error.error) {
      case errors.id_taken.error:
        expectTypeOf(error).toEqualTypeOf<RejectedError<40003>>();
        break;
      // @ts-expect-error no reply of this operation
      case errors.not_found.error:
        break;
    }
  });
});
