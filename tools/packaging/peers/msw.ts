// The handlers over the fake, with the fetch of the platform.
import { createClient, isNetworkError } from '@plant-store/client';
import { createHandlers } from '@plant-store/client/msw';
import { createFakePlantStore } from '@plant-store/client/testing';
import { setupServer } from 'msw/node';

const store = createFakePlantStore();
const baseUrl = 'https://plants.example.com';
const server = setupServer(...createHandlers(store, { baseUrl }));
server.listen();

const client = createClient({ baseUrl, token: store.token, retries: 0 });
const create = () => client.createPlant({ body: { id: 9223372036854775807n, name: 'Rose' } });

store.fail({ kind: 'drop', stored: true });
const lost: unknown = await create().catch((error: unknown) => error);
if (!isNetworkError(lost)) throw lost;
const reply = await create();
if (reply.status !== 200 || !reply.replayed) throw new Error(`Status ${reply.status}, not a replay`);
if (store.plants.get(9223372036854775807n)?.name !== 'Rose') throw new Error('Not stored');
server.close();
