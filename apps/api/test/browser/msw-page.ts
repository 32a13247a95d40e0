import { type Client, type ClientOptions, createClient } from '@plant-store/client';
import { createHandlers } from '@plant-store/client/msw';
import { createFakePlantStore, type FakePlantStore } from '@plant-store/client/testing';
import { setupWorker } from 'msw/browser';

const baseUrl = 'https://plants.example.com/v1';

/** What the page has for a test in `globalThis`, once MSW answers its requests. */
export interface WithMocked {
  readonly mocked: {
    readonly store: FakePlantStore;
    /** A client with the `fetch` of the browser. */
    open(options?: Partial<ClientOptions>): Client;
  };
}

const store = createFakePlantStore();
await setupWorker(...createHandlers(store, { baseUrl })).start({ quiet: true });
const mocked: WithMocked['mocked'] = {
  store,
  open: (options) => createClient({ baseUrl, token: store.token, retries: 0, ...options }),
};
Object.assign(globalThis, { mocked });
