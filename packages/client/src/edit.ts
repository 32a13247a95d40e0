import type { Plant, StoredPlant } from '@plant-store/contract/operations';
import type { Client, ReplyOf } from './client.js';
import type { CallOptions } from './options.js';
import type { Reply } from './read-reply.js';
import { ensureSuccess, isRejectedError, RejectedError, type SuccessOf, unwrap } from './unwrap.js';

/** A plant to edit. It can have the other members of a reply. */
export type EditablePlant = Plant & {
  readonly id: number | bigint;
  readonly idText?: string | undefined;
  readonly addedAt?: string | undefined;
  readonly addedBy?: string | undefined;
  readonly changedBy?: string | undefined;
};

/**
 * A plant as a person saw it when a form opened, with the `ETag` of that state. An edit is frozen plain data, so a server can pass it to a
 * page and get it back.
 */
export interface Edit<Seen extends EditablePlant = EditablePlant> {
  /** Only `startEdit` sets this member, so that nothing else is mistaken for an edit. */
  readonly kind: 'edit';
  readonly plant: Readonly<Seen>;
  readonly etag: string;
}

/** The fields that a person changed. A field that is absent keeps its value, and one that is `undefined` is removed. */
export type Changes = Partial<Plant>;

/** The plant has changed since the edit started, so nothing was saved. `current` is an edit of the plant as it is now. */
export type EditConflict = RejectedError<41200> & { readonly current: Edit<StoredPlant> };

/**
 * Starts an edit. Call it once, when a form opens, and keep its result in the state of the form.
 *
 * The edit keeps the `ETag` of the plant that the person saw, so that an update by someone else causes a conflict. An `ETag` read when the
 * form is saved, for example from a query that refetches, would already include that update, and the save would overwrite it.
 *
 * @param seen the reply to a get or an update, or a plant with its `ETag`. With the reply to a create, also pass the `id`
 * @throws {RejectedError} when the reply is not a success
 * @throws {TypeError} when the `ETag` or the ID is missing, as in the body of a reply or a promise
 *
 * @example
 * import { createClient, saveEdit, startEdit } from '@plant-store/client';
 *
 * const client = createClient({ baseUrl: 'http://127.0.0.1:3000', token: 'pst_…' });
 * const edit = startEdit(await client.getPlant({ params: { id: 11_001 } }));
 * await saveEdit(client, edit, { name: 'Monstera adansonii' });
 */
export function startEdit(seen: ReplyOf<'createPlant'>, id: number | bigint): Edit;
export function startEdit<Seen extends EditablePlant>(seen: {
  readonly plant: Seen;
  readonly etag: string;
}): Edit<Seen>;
export function startEdit(seen: ReplyOf<'getPlant'> | ReplyOf<'updatePlant'>): Edit<StoredPlant>;
export function startEdit(seen: Reply | Pick<Edit, 'plant' | 'etag'>, id?: number | bigint): Edit {
  // Only the body of a create has no ID.
  const plant = 'plant' in seen ? seen.plant : ({ id, ...Object(unwrap(seen)) } as EditablePlant);
  const { etag } = seen;
  if (!etag || plant.id === undefined)
    throw new TypeError('startEdit needs the whole reply with its ETag and, after a create, the ID');
  return Object.freeze({ kind: 'edit', plant: Object.freeze({ ...plant }), etag });
}

/** Whether the changes differ from the plant that the person saw. */
export function hasChanges({ plant }: Edit, changes: Changes): boolean {
  return Object.entries(changes).some(([name, value]) => plant[name as keyof Changes] !== value);
}

/**
 * Saves the changes if the plant is still as the person saw it. All other fields keep their values, including those that only a later
 * version of this package knows.
 *
 * @param options the options of the calls
 * @returns the successful reply. Its body is the plant, and `startEdit` takes it to edit further
 * @throws {EditConflict} when the plant has changed. `isEditConflict` recognizes it. If the current plant cannot be read, it is a
 * `RejectedError` with the status 412
 * @throws {RejectedError} when the service rejects the request. It also throws the errors of the client's calls.
 */
export async function saveEdit(
  client: Pick<Client, 'getPlant' | 'updatePlant'>,
  edit: Edit,
  changes: Changes,
  options?: CallOptions,
): Promise<SuccessOf<ReplyOf<'updatePlant'>>> {
  if (edit.kind !== 'edit')
    throw new TypeError('saveEdit needs an edit from startEdit, called when the form opens');
  const { id, idText: _text, addedAt: _time, addedBy: _creator, changedBy: _editor, ...fields } = edit.plant;
  const params = { id };
  const reply = await client.updatePlant({
    ...options,
    params,
    ifMatch: edit,
    body: { ...fields, ...changes },
  });
  if (reply.status !== 412) return ensureSuccess(reply);
  // A failed get must not hide that nothing was saved.
  const current = await client
    .getPlant({ ...options, params })
    .then(startEdit)
    .catch(() => undefined);
  // Not enumerable, so that it is neither printed nor serialized as JSON.
  throw Object.defineProperty(new RejectedError(reply), 'current', { value: current });
}

/** Whether a caught value is an `EditConflict`. */
export function isEditConflict(error: unknown): error is EditConflict {
  return Boolean(isRejectedError(error) && Object(error).current);
}
