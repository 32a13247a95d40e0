import { accessed, type Operation } from './operation.js';

/** The new files of an operation, by their paths. What is to be filled in fails until it is. */
export function filesFor(operation: Operation): Record<string, string> {
  const { file } = operation;
  return {
    [`apps/api/src/plants/${file}.ts`]: writeMeaning(operation),
    [`apps/api/src/http/routes/${file}.ts`]: writeRouteHandler(operation),
    [`apps/api/test/http/${file}.test.ts`]: writeTest(operation),
    [`packages/client/src/testing/handlers/${file}.ts`]: writeFakeHandler(operation),
    [`.changeset/${file}.md`]: writeChangeset(operation),
  };
}

function writeMeaning({ name, access, params, hasBody }: Operation): string {
  const { dependency, type, module } = accessed[access];
  const inputs = [
    `_${dependency}: ${type}`,
    ...params.map((param) => `_${param}: bigint`),
    ...(hasBody ? ['_body: NewPlant'] : []),
  ];
  return `import type { ${hasBody ? 'NewPlant, ' : ''}Plant } from '@plant-store/contract';
import type { ${type} } from './${module}.js';

/** What \`${name}\` means, whatever the transport and the engine. */
export async function ${name}(${inputs.join(', ')}): Promise<Plant> {
  throw new Error('${name} is not implemented');
}
`;
}

function writeRouteHandler({ name, file, access, params, hasBody }: Operation): string {
  const { dependency, type, module } = accessed[access];
  const parts = [...(params.length > 0 ? ['params'] : []), ...(hasBody ? ['body'] : [])];
  const values = [dependency, ...params.map((param) => `params.${param}`), ...(hasBody ? ['body'] : [])];
  return `import type { contract } from '@plant-store/contract';
import type { AppRouteImplementation } from '@ts-rest/express';
import { ${name} } from '../../plants/${file}.js';
import type { ${type} } from '../../plants/${module}.js';

/** Answers \`${name}\`. */
export function ${name}Handler(${dependency}: ${type}): AppRouteImplementation<typeof contract.${name}> {
  return async (${parts.length > 0 ? `{ ${parts.join(', ')} }` : ''}) => ({ status: 200, body: await ${name}(${values.join(', ')}) });
}
`;
}

function writeFakeHandler({ name }: Operation): string {
  return `import type { Handler } from './handler.js';

/** Answers \`${name}\` as the service does. */
export const ${name}: Handler<'${name}'> = () => {
  throw new Error('${name} is not implemented');
};
`;
}

function writeTest(operation: Operation): string {
  const { name, params, hasBody } = operation;
  const parts = [
    ...(params.length > 0 ? [`params: { ${params.map((param) => `${param}: 1n`).join(', ')} }`] : []),
    ...(hasBody ? ["body: { id: 1n, name: 'Monstera' }"] : []),
  ];
  return `import { createClient, type RequestOf } from '@plant-store/client';
import { createFakePlantStore, type FakePlantStore } from '@plant-store/client/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestService, type TestService } from '../support/start-test-service.js';

let service: TestService;
let fake: FakePlantStore;
beforeAll(async () => {
  service = await startTestService();
  fake = createFakePlantStore({ baseUrl: service.baseUrl, token: service.token });
});
afterAll(() => service.stop());

const request: RequestOf<'${name}'> = { ${parts.join(', ')} };

describe.each(['service', 'fake'] as const)('${name} of the %s', (store) => {
  const send: FakePlantStore['fetch'] = (...given) => (store === 'fake' ? fake.fetch : fetch)(...given);
  const openClient = () => createClient({ baseUrl: service.baseUrl, token: service.token, fetch: send });

  it('answers 200', async () => {
    const reply = await openClient().${name}(request);
    expect(reply).toMatchObject({ status: 200, body: {} });
  });
${operation.method === 'GET' ? testHead(operation) : ''}});
`;
}

/** The client has no HEAD, which the service answers wherever it has GET (RFC 9110, section 9.3.2). */
function testHead({ path }: Operation): string {
  return `
  it('answers HEAD as GET, without the body', async () => {
    const url = \`\${service.baseUrl}${path.replace(/:(\w+)/g, (_, param) => `\${request.params.${param}}`)}\`;
    const headers = { Authorization: \`Bearer \${service.token}\` };
    const get = await send(url, { headers });
    const head = await send(url, { method: 'HEAD', headers });
    expect(await get.text()).not.toBe('');
    expect(await head.text()).toBe('');
    expect(head.status).toBe(get.status);
    expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'));
    expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
  });
`;
}

function writeChangeset({ name, method, path }: Operation): string {
  return `---
'@plant-store/contract': minor
'@plant-store/client': minor
---

The operation \`${name}\`: ${method} ${path}.
`;
}
