import { createClient, errors, isNetworkError } from '@plant-store/client';
import { createFakePlantStore, type Fault } from '@plant-store/client/testing';
import { ensureSuccess, isRejectedError, type RejectedError, unwrap } from '@plant-store/client/unwrap';

const store = createFakePlantStore();
const client = createClient({ ...store, retries: 0 });
const create = (name: string) => client.createPlant({ body: { id: 1, name } });

const plant: { readonly name: string; readonly tag?: string | undefined } = await unwrap(create('Rose'));
const { replayed }: { readonly replayed: boolean } = ensureSuccess(await create('Rose'));
const stored: string | undefined = store.plants.get(1n)?.name;
if (plant.name !== stored || !replayed) throw new Error(`${stored} is stored, replayed: ${replayed}`);

const taken: unknown = await unwrap(create('Fern')).catch((error: unknown) => error);
if (!isRejectedError(taken, errors.id_taken.error)) throw taken;
const narrowed: RejectedError<40003> = taken;
const status: 400 = narrowed.status;
if (status !== 400 || JSON.parse(JSON.stringify(taken)).message !== taken.message) throw taken;

store.fail({ kind: 'drop' } satisfies Fault);
const lost: unknown = await unwrap(create('Rose')).catch((error: unknown) => error);
if (isRejectedError(lost) || !isNetworkError(lost)) throw lost;
