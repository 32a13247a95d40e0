// What a library exports without naming a type: the compiler writes each type into the declarations, so it must be able to name it.
import {
  countTags,
  createClient,
  deleteAll,
  ensureSuccess,
  errors,
  followChanges,
  getAll,
  hasChanges,
  isEditConflict,
  isNetworkError,
  isPlantStoreError,
  isRejectedError,
  isTimeoutError,
  isUnexpectedResponseError,
  listAll,
  saveEdit,
  startEdit,
  storeAll,
  unwrap,
  updateAll,
} from '@plant-store/client';
import { createTanstackQueryUtils } from '@plant-store/client/tanstack-query';
import { createFakePlantStore } from '@plant-store/client/testing';

export const store = createFakePlantStore();
export const client = createClient(store);
export const plantStore = createTanstackQueryUtils(client);
export const patient = client.withOptions({ timeoutMs: 60_000 });

const plant = { id: 1n, name: 'Rose' };
const params = { id: 1n };
export const createPlant = () => client.createPlant({ body: plant });
export const getPlant = () => client.getPlant({ params });
export const listPlants = () => client.listPlants();
export const createPlants = () => client.createPlants({ body: { plants: [plant] } });
export const getPlants = () => client.getPlants({ body: { ids: ['1'] } });
export const updatePlants = () => client.updatePlants({ body: { plants: [{ ...plant, ifMatch: '*' }] } });
export const deletePlants = () => client.deletePlants({ body: { ids: ['1'] } });
export const updatePlant = async () =>
  client.updatePlant({ params, ifMatch: await getPlant(), body: { name: 'Ivy' } });
export const deletePlant = () => client.deletePlant({ params });
export const listTags = () => client.listTags();
export const listChanges = () => client.listChanges();
export const getOwnToken = () => client.getOwnToken();
export const listTokens = () => client.listTokens();
export const createToken = () => client.createToken({ body: { name: 'ci', scopes: ['create'] } });
export const rotateToken = () => client.rotateToken({ params, body: { overlapSeconds: 0 } });
export const revokeToken = () => client.revokeToken({ params });
export const listAudit = () => client.listAudit();
export const { listPlants: destructured } = client;

export const created = () => unwrap(createPlant());
export const found = () => unwrap(getPlant());
export const page = () => unwrap(listPlants());
export const results = () => unwrap(createPlants());
export const counts = () => unwrap(listTags());
export const changes = () => unwrap(listChanges());
export const own = () => unwrap(getOwnToken());
export const tokens = () => unwrap(listTokens());
export const issued = () => unwrap(createToken());
export const successful = () => createPlant().then(ensureSuccess);
export const { id_taken: idTaken } = errors;

export const list = () => listAll(client);
export const storeMany = () => storeAll(client, [plant]);
export const getMany = () => getAll(client, [1]);
export const updateMany = () => updateAll(client, [{ ...plant, ifMatch: '*' }]);
export const deleteMany = () => deleteAll(client, [1, { id: 2, ifMatch: '*' }]);
export const count = () => countTags(client);
export const follow = () => followChanges(client);
export const openForm = async () => startEdit(await getPlant());
export const save = async () => saveEdit(client, await openForm(), { name: 'Ivy' });
export const isChanged = async () => hasChanges(await openForm(), { name: 'Ivy' });

export function narrow(error: unknown) {
  if (isEditConflict(error)) return error;
  if (isRejectedError(error, errors.id_taken.error, errors.rate_limited.error)) return error;
  if (isRejectedError(error)) return error;
  if (isNetworkError(error) || isTimeoutError(error)) return error;
  if (isUnexpectedResponseError(error)) return error;
  return isPlantStoreError(error) ? error : undefined;
}

export const queries = () => plantStore.getPlant.queryOptions({ params });
export const mutations = () => plantStore.createPlant.mutationOptions();
export const editing = () => plantStore.updatePlant.mutationOptions();
