import { contract } from '@plant-store/contract';
import { type Scope, scopes } from '@plant-store/contract/access-token';
import supertest from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operationScopes } from '../../../../packages/contract/test/operation-cases.js';
import { expectError } from '../support/expect-error.js';
import {
  type IdentityProvider,
  type Members,
  startIdentityProvider,
} from '../support/identity/start-identity-provider.js';
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
});
afterAll(async () => {
  await service.stop();
  await renamed.stop();
  await provider.stop();
});

type Operation = keyof typeof operationScopes;
const operations = Object.entries(operationScopes) as [Operation, Scope][];

/** Sends a request that changes nothing: of an id that is free, and with a body that is not valid. */
function send({ baseUrl }: TestService, name: Operation, token: string) {
  const { method, path } = contract[name];
  const request = supertest(baseUrl)
    [method.toLowerCase() as 'get'](path.replace(/:\w+/g, '2'))
    .auth(token, { type: 'bearer' });
  return 'body' in contract[name] ? request.send({}) : request;
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
      for (const [name, scope] of operations) {
        const reply = await send(service, name, token);
        if (granted.includes(scope)) expect([200, 400, 404]).toContain(reply.status);
        else {
          const missing = isJwt ? `plants:${scope}` : scope;
          expectError(reply, 'insufficient_scope', `does not have the scope ${missing}.`, missing);
        }
      }
    },
  );
});

/** Expects that a token with these claims permits exactly the operations that need one of the scopes. */
async function expectPermitted(of: TestService, claims: Members, scopes: readonly Scope[]): Promise<void> {
  const token = await provider.sign(claims);
  for (const [name, scope] of operations) {
    const { status } = await send(of, name, token);
    expect([name, status !== 403]).toEqual([name, scopes.includes(scope)]);
  }
}

it('a JSON Web Token without any of these scopes may create, as before there were scopes', async () => {
  for (const claims of [{}, { scope: 'openid plants' }]) await expectPermitted(service, claims, ['create']);
});

it('scopes may have other names at the identity provider, and a token without one permits nothing then', async () => {
  const shop = 'https://shop.example.com/write';
  await expectPermitted(renamed, { scope: shop }, ['create', 'delete']);
  await expectPermitted(renamed, { scope: 'plants:read' }, ['read']);
  for (const claims of [{}, { scope: 'plants:create' }]) await expectPermitted(renamed, claims, []);
});

it('a missing scope is reported before what is wrong with the request', async () => {
  const { text: token } = await service.accessTokens.issue({ name: 'test', scopes: ['read'] });
  const request = supertest(service.baseUrl).post('/plants').auth(token, { type: 'bearer' });
  expectError(await request.type('text/plain').send('{'), 'insufficient_scope', 'the scope create', 'create');
});
