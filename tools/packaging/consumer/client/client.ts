import {
  createClient,
  type ErrorName,
  ensureSuccess,
  errors,
  isEditConflict,
  isNetworkError,
  isPlantStoreError,
  isRejectedError,
  isTimeoutError,
  isUnexpectedResponseError,
  type RejectedError,
  type ReplyOf,
  type RequestOf,
  saveEdit,
  startEdit,
  unwrap,
} from '@plant-store/client';
import { createFakePlantStore, type Fault } from '@plant-store/client/testing';
import { validateReply } from '@plant-store/client/validate';

/** The compiler narrows a reply by its status. */
function describeReply(reply: ReplyOf<'createPlant'>): string {
  if (reply.status === 200) return `${reply.body.name} ${reply.body.tag}`;
  const status: 400 | 401 | 403 | 429 | 500 | 503 = reply.status;
  return reply.status === 400 ? nameOf(reply.body.error) : `${status} ${reply.body.message}`;
}

type Invalid = Extract<ReplyOf<'createPlant'>, { readonly status: 400 }>['body'];

function nameOf(error: Invalid['error']): ErrorName | 'another' {
  // @ts-expect-error This error has another status.
  if (error === errors.overloaded.error) return 'overloaded';
  return error === errors.id_taken.error ? 'id_taken' : 'another';
}

function describeError(error: unknown): string {
  if (!isPlantStoreError(error)) throw error;
  if (isUnexpectedResponseError(error)) return `unexpected ${error.status} ${error.bodyStart}`;
  return isTimeoutError(error) || isNetworkError(error) ? `${error.name} ${error.outcome}` : error.message;
}

const store = createFakePlantStore();
const client = createClient({ ...store, retries: 0 });
const body: RequestOf<'createPlant'>['body'] = { id: 9223372036854775807n, name: 'Rose', tag: 'shrub' };
const { replayed }: { readonly replayed: boolean } = ensureSuccess(await client.createPlant({ body }));
const plant: { readonly name: string; readonly tag?: string | undefined } = await unwrap(
  client.createPlant({ body }),
);
const seen: unknown[] = [replayed, plant.name, store.plants.get(9223372036854775807n)?.name];

validateReply('createPlant', await client.createPlant({ body }));
const conflict = { ...body, name: 'Fern' };
seen.push(describeReply(await client.createPlant({ body: conflict })));
const taken: unknown = await unwrap(client.createPlant({ body: conflict })).catch((error: unknown) => error);
if (!isRejectedError(taken, errors.id_taken.error)) throw taken;
const narrowed: RejectedError<40003> = taken;
const status: 400 = narrowed.status;

store.fail({ kind: 'drop' } satisfies Fault);
seen.push(status, await client.createPlant({ body }).then(describeReply, describeError));

const edit = startEdit(await client.getPlant({ params: { id: 9223372036854775807n } }));
seen.push((await saveEdit(client, edit, { name: 'Ivy' })).body.tag);
const theirs: unknown = await saveEdit(client, edit, { name: 'Fern' }).catch((error: unknown) => error);
seen.push(isEditConflict(theirs) && theirs.current.plant.name);
const expected = 'false,Rose,Rose,id_taken,400,NetworkError unknown,shrub,Ivy';
if (String(seen) !== expected) throw new Error(`${seen}, not ${expected}`);
