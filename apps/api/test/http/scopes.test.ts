import { contract } from '@plant-store/contract';
import { type Scope, scopes } from '@plant-store/contract/access-token';
import supertest from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../support/expect-error.js';
import {
  type IdentityProvider,
  type Members,
  startIdentityProvider,
} from '../support/identity/start-identity-provider.js';
import { postPlant } from '../support/post-plant.js';
import { startTestService, type TestService } from '../support/start-test-service.js';

let provider: IdentityProvider;
let service: TestService;
/** With other names for scopes, of which `read` keeps its own. */
let renamed: TestService;
beforeAll(async () => {
  provider = await startIdentityProvider();
  service = await startTestService(provider.environment);
  renamed = await startTestService({
    ...provider.environment,
    JWT_SCOPES: 'create=https://shop.example.com/write delete=https://shop.example.com/write',
  });
  await postPlant(service, { id: 1, name: 'Fern' });
});
afterAll(async () => {
  await service.stop();
  await renamed.stop();
  await provider.stop();
});

/** What each operation needs, and the reply once it is allowed, of a request that changes nothing. */
const operations = {
  createPlant: ['create', 200, { id: 1, name: 'Fern' }],
  createPlants: ['create', 200, { plants: [{ id: 1, name: 'Fern' }] }],
  deletePlant: ['delete', 404],
  getPlant: ['read', 200],
  listPlants: ['read', 200],
} satisfies Record<keyof typeof contract, readonly [Scope, status: number, body?: object]>;
type Operation = keyof typeof operations;
const names = Object.keys(operations) as Operation[];

function send({ baseUrl }: TestService, name: Operation, token: string) {
  const { method, path } = contract[name];
  const request = supertest(baseUrl)
    [method.toLowerCase() as 'get'](path.replace(':id', method === 'DELETE' ? '2' : '1'))
    .auth(token, { type: 'bearer' });
  const [, , body]: readonly [string, number, object?] = operations[name];
  return body === undefined ? request : request.send(body);
}

/** Every choice of at least one scope. */
const combinations = [1, 2, 3, 4, 5, 6, 7].map((bits) => scopes.filter((_, index) => bits & (1 << index)));

describe.each(['a token of the service', 'a JSON Web Token'])('%s', (kind) => {
  it.each(combinations.map((granted) => [granted.join(), granted] as const))(
    'with the scopes %s permits exactly the operations that need one of them',
    async (_, granted) => {
      const isJwt = kind === 'a JSON Web Token';
      const token = isJwt
        ? await provider.sign({ scope: granted.map((scope) => `plants:${scope}`).join(' ') })
        : (await service.accessTokens.issue({ name: 'test', scopes: granted })).text;
      for (const name of names) {
        const [scope, status] = operations[name];
        const reply = await send(service, name, token);
        if (granted.includes(scope)) expect([name, reply.status]).toEqual([name, status]);
        else {
          const missing = isJwt ? `plants:${scope}` : scope;
          expectError(reply, 'insufficient_scope', `does not have the scope ${missing}.`, missing);
        }
      }
    },
  );
});

const statuses = async (of: TestService, claims: Members) => {
  const token = await provider.sign(claims);
  return Promise.all(names.map(async (name) => [name, (await send(of, name, token)).status]));
};

it('a JSON Web Token without any of these scopes may create, as before there were scopes', async () => {
  for (const claims of [{}, { scope: 'openid plants' }])
    expect(Object.fromEntries(await statuses(service, claims))).toEqual({
      ...{ createPlant: 200, createPlants: 200 },
      ...{ deletePlant: 403, getPlant: 403, listPlants: 403 },
    });
});

it('scopes may have other names at the identity provider, and a token without one permits nothing then', async () => {
  expect(Object.fromEntries(await statuses(renamed, { scope: 'https://shop.example.com/write' }))).toEqual({
    ...{ createPlant: 200, createPlants: 200, deletePlant: 404 },
    ...{ getPlant: 403, listPlants: 403 },
  });
  const onlyForReading = { createPlant: 403, createPlants: 403, deletePlant: 403 };
  expect(Object.fromEntries(await statuses(renamed, { scope: 'plants:read' }))).toEqual({
    ...onlyForReading,
    ...{ getPlant: 200, listPlants: 200 },
  });
  for (const claims of [{}, { scope: 'plants:create' }])
    expect(Object.fromEntries(await statuses(renamed, claims))).toEqual({
      ...onlyForReading,
      ...{ getPlant: 403, listPlants: 403 },
    });
});

it('a missing scope is reported before what is wrong with the request', async () => {
  const { text: token } = await service.accessTokens.issue({ name: 'test', scopes: ['read'] });
  const request = supertest(service.baseUrl).post('/plants').auth(token, { type: 'bearer' });
  expectError(await request.type('text/plain').send('{'), 'insufficient_scope', 'the scope create', 'create');
});
