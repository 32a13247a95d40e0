import type { StoredPlant } from '@plant-store/contract/operations';
import { QueryClient } from '@tanstack/query-core';
import { useMutation } from '@tanstack/react-query';
import { describe, expectTypeOf, it } from 'vitest';
import type { Client, ErrorOf, ReplyOf } from './client.js';
import { createClient } from './create-client.js';
import { type Edit, type EditConflict, hasChanges, isEditConflict, saveEdit, startEdit } from './edit.js';
import { createTanstackQueryUtils } from './tanstack-query.js';
import type { SuccessOf } from './unwrap.js';

const client = createClient({ baseUrl: 'https://example.com', token: 'pst_a' });
const { updatePlant, getPlant, createPlant } = createTanstackQueryUtils(client);
const edit = startEdit({ plant: { id: 1n, name: 'Fern' }, etag: '"a"' });
const request = { params: { id: 1n }, body: { name: 'Fern' } };

describe('startEdit', () => {
  it('takes a reply that has the plant, a create with its id, or a plant with its ETag', () => {
    expectTypeOf(startEdit({} as ReplyOf<'getPlant'>)).toEqualTypeOf<Edit<StoredPlant>>();
    expectTypeOf(startEdit({} as ReplyOf<'updatePlant'>)).toEqualTypeOf<Edit<StoredPlant>>();
    expectTypeOf(startEdit({} as ReplyOf<'createPlant'>, 1n)).toEqualTypeOf<Edit>();
    expectTypeOf(edit.plant).toEqualTypeOf<Readonly<{ id: bigint; name: string }>>();
    // @ts-expect-error a reply to a create without the id
    startEdit({} as ReplyOf<'createPlant'>);
    // @ts-expect-error a plant without an ETag
    startEdit({ id: 1n, name: 'Fern' });
    // @ts-expect-error no plant
    startEdit({} as ReplyOf<'listPlants'>);
  });

  it('returns a frozen edit', () => {
    // @ts-expect-error frozen
    edit.etag = '"b"';
    // @ts-expect-error frozen
    edit.plant.name = 'Ivy';
  });
});

describe('saveEdit', () => {
  it('takes an edit and some fields, and returns the reply', () => {
    expectTypeOf(saveEdit(client, edit, { name: 'Ivy' })).resolves.toEqualTypeOf<
      SuccessOf<ReplyOf<'updatePlant'>>
    >();
    saveEdit(client, edit, { tag: undefined }, { timeoutMs: 1_000 });
    hasChanges(edit, {});
    // @ts-expect-error no field
    saveEdit(client, edit, { id: 2n });
    // @ts-expect-error not from startEdit
    saveEdit(client, { plant: { id: 1n, name: 'Fern' }, etag: '"a"' }, { name: 'Ivy' });
    // @ts-expect-error the name is required
    saveEdit(client, edit, { name: undefined });
  });
});

describe('a mutation that updates', () => {
  const use = () => useMutation(updatePlant.mutationOptions());

  it('takes an edit', () => {
    use().mutate({ edit, changes: { name: 'Ivy' }, timeoutMs: 1_000 });
    expectTypeOf(use).returns.toHaveProperty('data').toEqualTypeOf<StoredPlant | undefined>();
    useMutation({
      ...updatePlant.mutationOptions(),
      onSuccess: (plant) => new QueryClient().setQueryData(getPlant.queryKey(request), plant),
    });
    // @ts-expect-error no changes
    use().mutate({ edit });
    // @ts-expect-error not from startEdit
    use().mutate({ edit: { plant: { id: 1n, name: 'Fern' }, etag: '"a"' }, changes: {} });
  });

  it('rejects an ETag, because a query may have refetched it, but accepts the two explicit preconditions', () => {
    use().mutate({ ...request, headers: { 'if-match': '*' } });
    use().mutate({ ...request, headers: { 'if-none-match': '*' } });
    // @ts-expect-error an ETag
    use().mutate({ ...request, headers: { 'if-match': edit.etag } });
    const ifMatch = {} as ReplyOf<'getPlant'>;
    const [update, save] = [
      { ...request, headers: { 'if-match': '*' }, ifMatch },
      { edit, changes: {}, ifMatch },
    ] as const;
    // @ts-expect-error a reply
    use().mutate(update);
    // @ts-expect-error a reply
    use().mutate(save);
    // @ts-expect-error both
    use().mutate({ ...request, headers: { 'if-match': '*', 'if-none-match': '*' } });
    // @ts-expect-error none
    use().mutate(request);
  });

  it('fails with what the update or the get of the current plant fails with, and narrows to a conflict', () => {
    const { error } = use();
    expectTypeOf(error).toEqualTypeOf<ErrorOf<'updatePlant'> | null>();
    if (isEditConflict(error)) {
      expectTypeOf(error).toExtend<EditConflict>();
      expectTypeOf(error.current.plant).toEqualTypeOf<Readonly<StoredPlant>>();
      expectTypeOf(error.status).toEqualTypeOf<412>();
    }
  });

  it('does not change the client itself and other mutations', () => {
    client.updatePlant({ ...request, headers: { 'if-match': edit.etag } });
    client.updatePlant({ ...request, ifMatch: edit, headers: { 'x-tenant': 'a' } });
    client.updatePlant({ ...request, ifMatch: {} as ReplyOf<'createPlant'> });
    client.deletePlant({ params: request.params, ifMatch: undefined });
    // @ts-expect-error no condition
    client.updatePlant(request);
    // @ts-expect-error no condition
    client.updatePlant({ ...request, ifMatch: undefined });
    // @ts-expect-error a promise of a reply
    client.updatePlant({ ...request, ifMatch: client.getPlant(request) });
    expectTypeOf(createPlant.mutationOptions().mutationFn)
      .parameter(0)
      .toEqualTypeOf<Parameters<Client['createPlant']>[0]>();
  });

  it('opens a form as a mutation that selects the edit, so no refetch changes it', () => {
    const opening = () => useMutation(getPlant.mutationOptions({ select: startEdit }));
    expectTypeOf(opening).returns.toHaveProperty('data').toEqualTypeOf<Edit<StoredPlant> | undefined>();
  });
});
