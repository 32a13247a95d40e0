import { errors } from '@plant-store/contract/errors';
import type { Plant } from '@plant-store/contract/operations';
import { MutationObserver, QueryClient } from '@tanstack/query-core';
import { mutationOptions, useMutation } from '@tanstack/react-query';
import { describe, expectTypeOf, it } from 'vitest';
import type { Client, ReplyOf, RequestOf } from './client.js';
import { createClient } from './create-client.js';
import { isPlantStoreError, type PlantStoreError } from './errors/plant-store-error.js';
import type { FailureOf } from './tanstack-query.js';
import { createTanstackQueryUtils } from './tanstack-query.js';
import { isRejectedError, type RejectedError, type RejectionsOf } from './unwrap.js';

const plantStore = createTanstackQueryUtils(createClient({ baseUrl: 'https://example.com', token: 'pst_a' }));
const { createPlant } = plantStore;
type Failure = RejectionsOf<ReplyOf<'createPlant'>> | PlantStoreError;

describe('the options of a mutation', () => {
  it('exist for each operation of the contract', () => {
    expectTypeOf<keyof typeof plantStore>().toEqualTypeOf<keyof Client>();
    // @ts-expect-error no operation of the contract
    plantStore.countPlants;
  });

  it("are taken by React's useMutation, with the types of data, error and variables", () => {
    const use = () => useMutation(createPlant.mutationOptions());
    expectTypeOf(use).returns.toHaveProperty('data').toEqualTypeOf<Plant | undefined>();
    expectTypeOf(use).returns.toHaveProperty('error').toEqualTypeOf<Failure | null>();
    expectTypeOf(use)
      .returns.toHaveProperty('variables')
      .toEqualTypeOf<RequestOf<'createPlant'> | undefined>();
    expectTypeOf<FailureOf<Client['createPlant']>>().toEqualTypeOf<Failure>();
  });

  it('can be extended by those of the caller', () => {
    const use = () =>
      useMutation({
        ...createPlant.mutationOptions(),
        onMutate: () => 7,
        onError: (error, { body }, counted) => {
          expectTypeOf(error).toEqualTypeOf<Failure>();
          expectTypeOf(body).toEqualTypeOf<RequestOf<'createPlant'>['body']>();
          expectTypeOf(counted).toEqualTypeOf<number | undefined>();
        },
        onSuccess: (data) => expectTypeOf(data).toEqualTypeOf<Plant>(),
      });
    expectTypeOf(use).returns.toHaveProperty('error').toEqualTypeOf<Failure | null>();
  });

  it("are taken by React's mutationOptions, and by the core that all adapters share", () => {
    const use = () => useMutation(mutationOptions(createPlant.mutationOptions()));
    expectTypeOf(use).returns.toHaveProperty('error').toEqualTypeOf<Failure | null>();
    const observer = new MutationObserver(new QueryClient(), createPlant.mutationOptions());
    expectTypeOf(observer.mutate).returns.resolves.toEqualTypeOf<Plant>();
  });

  it('have the type of what is selected of a successful reply', () => {
    const options = createPlant.mutationOptions({ select: ({ replayed, status }) => ({ replayed, status }) });
    const use = () => useMutation(options);
    expectTypeOf(use)
      .returns.toHaveProperty('data')
      .toEqualTypeOf<{ replayed: boolean; status: 200 } | undefined>();
  });

  it('require what the operation requires', () => {
    const { mutate } = useMutation(createPlant.mutationOptions());
    mutate({ body: { id: 1n, name: 'Fern' }, timeoutMs: 1_000 });
    // @ts-expect-error no request
    mutate();
    // @ts-expect-error no name
    mutate({ body: { id: 1n } });
  });
});

describe('the error of a mutation', () => {
  it('narrows by number, and otherwise to an error without a reply', () => {
    const { error } = useMutation(createPlant.mutationOptions());
    if (isRejectedError(error, errors.id_taken.error)) {
      expectTypeOf(error).toEqualTypeOf<RejectedError<40003>>();
    } else if (isRejectedError(error)) {
      expectTypeOf(error.number).exclude<40003>().toEqualTypeOf<typeof error.number>();
      // @ts-expect-error no reply of this operation
      if (error.number === errors.not_found.error) throw error;
    } else if (error) {
      expectTypeOf(error).toEqualTypeOf<PlantStoreError>();
      expectTypeOf(isPlantStoreError(error)).toEqualTypeOf<boolean>();
    }
  });
});
