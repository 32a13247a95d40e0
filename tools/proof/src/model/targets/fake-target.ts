import { createFakePlantStore } from '@plant-store/client/testing';
import { composeRequest, type Observation, observe, type Request, type Target } from './target.js';

/** The fake plant store of the client, which must behave like the service. */
export function createFakeTarget(): Target {
  const store = createFakePlantStore();
  const valid = new Map([['main', store.token]]);
  const issued = new Map(valid);
  const accept = () => store.acceptTokens(store.token, ...valid.values());

  async function send(request: Request, token: string | undefined): Promise<Observation> {
    const text = token === undefined ? undefined : (issued.get(token) ?? 'unknown');
    return observe(await store.fetch(`${store.baseUrl}${request.path}`, composeRequest(request, text)));
  }

  return {
    name: 'fake',
    send,
    async interrupt(request, { delayMs }) {
      store.fail({ kind: 'drop', stored: delayMs % 2 === 0 });
      return send(request, 'main').catch(() => undefined);
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
    readPlants: async () => store.plants,
    stop: async () => undefined,
  };
}
