import { createFakePlantStore } from '@plant-store/client/testing';
import { composeRequest, observe, type Target } from './target.js';

/** The fake plant store of the client, which must behave like the service. */
export function createFakeTarget(): Target {
  const store = createFakePlantStore();
  const valid = new Map([['main', store.token]]);
  const issued = new Map(valid);
  const accept = () => store.acceptTokens(store.token, ...valid.values());
  return {
    name: 'fake',
    async send(body, token) {
      const text = token === undefined ? undefined : (issued.get(token) ?? 'unknown');
      return observe(await store.fetch(`${store.baseUrl}/plants`, composeRequest(body, text)));
    },
    // It keeps its plants for as long as it exists.
    restart: async () => undefined,
    async issueToken(name) {
      const token = `fake-token-${name}`;
      for (const tokens of [valid, issued]) tokens.set(name, token);
      accept();
    },
    async revokeToken(name) {
      valid.delete(name);
      accept();
      return 0;
    },
    async expireToken(name) {
      issued.set(name, `fake-token-${name}`);
    },
    readPlants: async () =>
      new Map([...store.plants].map(([id, { name, tag = null }]) => [id, { name, tag }])),
    stop: async () => undefined,
  };
}
