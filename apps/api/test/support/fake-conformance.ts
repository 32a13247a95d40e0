import { createFakePlantStore, type FakePlantStore } from '@plant-store/client/testing';
import { type ErrorName, errors } from '@plant-store/contract/errors';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPlants } from './read-plants.js';
import { startTestService, type TestService } from './start-test-service.js';

/** A create request, as far as it differs from a valid one; `undefined` omits a header. */
export interface Variation {
  readonly path?: string;
  readonly method?: string;
  readonly authorization?: (token: string) => string | undefined;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string | Uint8Array;
  /** The body of a valid request before this one. */
  readonly after?: string;
}

/** What is special about a request, how both stores answer it, and the request. */
export type Case = [name: string, expected: 200 | ErrorName, variation: Variation];

export const validBody = '{"id":1,"name":"Monstera"}';
export const ofType = (type: string | undefined): Variation => ({
  headers: { 'Content-Type': type },
  body: validBody,
});
export const withToken = (authorization: (token: string) => string | undefined): Variation => ({
  authorization,
});

/**
 * Defines a test for each case, by topic, that the fake plant store answers like the service, and a last one that both
 * have stored the same plants, at least `minPlants` of them.
 */
export function testFakeConformance(topics: Readonly<Record<string, readonly Case[]>>, minPlants: number) {
  let service: TestService;
  let fake: FakePlantStore;
  beforeAll(async () => {
    service = await startTestService();
    fake = createFakePlantStore({ baseUrl: service.baseUrl, token: service.token });
  });
  afterAll(() => service.stop());

  describe.each(Object.entries(topics))(
    'the fake plant store answers like the service, by %s',
    (_, cases) => {
      it.each(cases)('%s: %s', async (_, expected, { after, ...variation }) => {
        if (after !== undefined) {
          expect(await send(fake.fetch, service, { body: after })).toEqual(
            await send(fetch, service, { body: after }),
          );
        }
        const reply = await send(fetch, service, variation);
        expect(await send(fake.fetch, service, variation)).toEqual(reply);
        expect(reply.status).toBe(expected === 200 ? 200 : errors[expected].status);
        if (expected !== 200 && variation.method !== 'HEAD') {
          expect(JSON.parse(reply.body)).toMatchObject({ error: errors[expected].error });
        }
      });
    },
  );

  it('the fake plant store has stored the same plants as the service', async () => {
    const plants = [...fake.plants].map(([id, { name, tag = null }]) => ({ id: String(id), name, tag }));
    const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
    expect(plants.sort(byId)).toEqual([...(await readPlants(service))].sort(byId));
    expect(plants.length).toBeGreaterThanOrEqual(minPlants);
  });
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Sends a request with a `fetch`, and reads the parts of the reply that both stores must agree on. */
async function send(
  fetch: FakePlantStore['fetch'],
  { baseUrl, token }: Pick<TestService, 'baseUrl' | 'token'>,
  {
    path = '/plants',
    method = 'POST',
    authorization = (token) => `Bearer ${token}`,
    headers,
    body,
  }: Variation,
) {
  const given = {
    'Content-Type': 'application/json',
    Authorization: authorization(token),
    ...headers,
  };
  const sent = Object.entries(given).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  );
  const reply = await fetch(baseUrl + path, { method, headers: sent, body: body ?? null });
  const requestId = reply.headers.get('x-request-id');
  const isGenerated = requestId !== headers?.['X-Request-Id'] && uuid.test(requestId ?? '');
  return {
    status: reply.status,
    body: await reply.text(),
    contentType: reply.headers.get('content-type'),
    challenge: reply.headers.get('www-authenticate'),
    allow: reply.headers.get('allow'),
    replayed: reply.headers.get('idempotent-replayed'),
    requestId: isGenerated ? 'generated' : requestId,
  };
}
