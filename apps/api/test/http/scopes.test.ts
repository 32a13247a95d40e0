import { contract } from '@plant-store/contract';
import { type Scope, scopes } from '@plant-store/contract/access-token';
import supertest from 'supertest';
import { afterAll, expect, it } from 'vitest';
import { standardProfile } from '../../src/auth/identity-providers.js';
import { expectError } from '../support/expect-error.js';
import { startIdentityProvider } from '../support/identity/start-identity-provider.js';
import { type TestService, useTestService } from '../support/start-test-service.js';

const provider = await startIdentityProvider();
afterAll(provider.stop);
const service = useTestService(provider.environment);
/** With other names for scopes, of which `read` keeps its own. */
const renamed = useTestService({
  ...provider.environment,
  JWT_SCOPES: 'create=https://shop.example.com/write delete=https://shop.example.com/write',
});

type Operation = keyof typeof contract;
const operations = Object.keys(contract) as Operation[];

/** Sends a request that changes nothing: of an id that is free, and with a body that is not valid. */
function send({ baseUrl }: TestService, name: Operation, token: string) {
  const { method, path } = contract[name];
  const request = supertest(baseUrl)
    [method.toLowerCase() as 'get'](path.replace(/:\w+/g, '999999'))
    .auth(token, { type: 'bearer' });
  return 'body' in contract[name] ? request.send({}) : request;
}

/** Expects that a token permits exactly the operations that need one of the scopes, or none. */
async function expectPermitted(of: TestService, token: string, permitted: readonly Scope[]): Promise<void> {
  for (const name of operations) {
    const { scope } = contract[name].metadata;
    const { status } = await send(of, name, token);
    const expected = scope === undefined || permitted.includes(scope) ? [200, 400, 404] : [403];
    expect([name, status]).toEqual([name, expect.toBeOneOf(expected)]);
  }
}

/** None of the scopes, all, each one, and all but one. */
const oneOrAllBut = scopes.flatMap((one) => [[one], scopes.filter((other) => other !== one)]);
const choices: readonly (readonly Scope[])[] = [[], scopes, ...oneOrAllBut];

it.each(choices.map((granted) => [granted.join(' and ') || 'no scope', granted] as const))(
  'a token with %s permits exactly the operations that need one of them, whoever issued it',
  async (_, granted) => {
    const own = await service.accessTokens.issue({ name: 'test', scopes: granted });
    await expectPermitted(service, own.secret, granted);
    const jwt = await provider.sign({ scope: granted.map(standardProfile.nameScope).join(' ') });
    await expectPermitted(service, jwt, granted.length === 0 ? ['create'] : granted);
  },
);

it('a JSON Web Token without any of these scopes may create, as before there were scopes', async () => {
  for (const claims of [{}, { scope: 'openid plants' }])
    await expectPermitted(service, await provider.sign(claims), ['create']);
});

it('scopes may have other names at the identity provider, and a token without one permits nothing then', async () => {
  const sign = (scope?: string) => provider.sign({ scope });
  await expectPermitted(renamed, await sign('https://shop.example.com/write'), ['create', 'delete']);
  await expectPermitted(renamed, await sign('plants:read'), ['read']);
  for (const scope of [undefined, 'plants:create']) await expectPermitted(renamed, await sign(scope), []);
});

it('a missing scope is named as who issued the token does, before what is wrong with the request', async () => {
  const { secret: own } = await service.accessTokens.issue({ name: 'test', scopes: ['read'] });
  const jwt = await provider.sign({ scope: 'plants:read' });
  for (const [missing, token] of Object.entries({ create: own, 'plants:create': jwt })) {
    const request = supertest(service.baseUrl).post('/plants').auth(token, { type: 'bearer' });
    const reply = await request.type('text/plain').send('{');
    expectError(reply, 'insufficient_scope', `lacks the scope ${missing}.`, missing);
  }
});
