import type { Operation } from './operation.js';

/** The new files of an operation, by their paths. What is to be filled in fails until it is. */
export function filesFor(operation: Operation): Record<string, string> {
  const { file } = operation;
  return {
    [`apps/api/src/plants/${file}.ts`]: meaning(operation),
    [`apps/api/src/http/routes/${file}.ts`]: routeHandler(operation),
    [`apps/api/test/http/${file}.test.ts`]: test(operation),
    [`packages/client/src/testing/handlers/${file}.ts`]: fakeHandler(operation),
    [`.changeset/${file}.md`]: changeset(operation),
  };
}

function meaning(operation: Operation): string {
  const { name, access } = operation;
  const [parameter, type, module] =
    access === 'read'
      ? ['_store', 'PlantStore', 'plant-store']
      : ['_plants', 'PlantBatcher', 'plant-batcher'];
  return `import type { Plant } from '@plant-store/contract';
import type { ${type} } from './${module}.js';

/** What \`${name}\` means, whatever the transport and the engine. */
export async function ${name}(${[`${parameter}: ${type}`, ...inputs(operation, '_')].join(', ')}): Promise<Plant> {
  throw new Error('${name} is not implemented');
}
`.replace(
    "import type { Plant } from '@plant-store/contract';",
    `import type { ${operation.hasBody ? 'NewPlant, ' : ''}Plant } from '@plant-store/contract';`,
  );
}

function routeHandler(operation: Operation): string {
  const { name, file, access, params, hasBody } = operation;
  const [parameter, type, module] =
    access === 'read' ? ['store', 'PlantStore', 'plant-store'] : ['plants', 'PlantBatcher', 'plant-batcher'];
  const parts = [...(params.length > 0 ? ['params'] : []), ...(hasBody ? ['body'] : [])];
  const values = [parameter, ...params.map((param) => `params.${param}`), ...(hasBody ? ['body'] : [])];
  return `import type { contract } from '@plant-store/contract';
import type { AppRouteImplementation } from '@ts-rest/express';
import { ${name} } from '../../plants/${file}.js';
import type { ${type} } from '../../plants/${module}.js';

/** Answers \`${name}\`. */
export function ${name}Handler(${parameter}: ${type}): AppRouteImplementation<typeof contract.${name}> {
  return async (${parts.length > 0 ? `{ ${parts.join(', ')} }` : ''}) => ({ status: 200, body: await ${name}(${values.join(', ')}) });
}
`;
}

function fakeHandler({ name }: Operation): string {
  return `import type { Handler } from './handler.js';

/** Answers \`${name}\` as the service does. */
export const ${name}: Handler<'${name}'> = () => {
  throw new Error('${name} is not implemented');
};
`;
}

function test({ name, params, hasBody }: Operation): string {
  const parts = [
    ...(params.length > 0 ? [`params: { ${params.map((param) => `${param}: 1n`).join(', ')} }`] : []),
    ...(hasBody ? ["body: { id: 1n, name: 'Monstera' }"] : []),
  ];
  return `import { type Client, createClient, type RequestOf } from '@plant-store/client';
import { createFakePlantStore } from '@plant-store/client/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestService, type TestService } from '../support/start-test-service.js';

let service: TestService;
const clients: { service?: Client; fake?: Client } = {};
beforeAll(async () => {
  service = await startTestService();
  const { baseUrl, token } = service;
  const { fetch } = createFakePlantStore({ baseUrl, token });
  clients.service = createClient({ baseUrl, token });
  clients.fake = createClient({ baseUrl, token, fetch });
});
afterAll(() => service.stop());

const request: RequestOf<'${name}'> = { ${parts.join(', ')} };

describe.each(['service', 'fake'] as const)('${name} of the %s', (name) => {
  it('answers 200', async () => {
    const reply = await clients[name]?.${name}(request);
    expect(reply).toMatchObject({ status: 200, body: {} });
  });
});
`;
}

function changeset({ name, method, path }: Operation): string {
  return `---
'@plant-store/contract': minor
'@plant-store/client': minor
---

The operation \`${name}\`: ${method} ${path}.
`;
}

/** What the request brings, as parameters of a function. */
function inputs({ params, hasBody }: Operation, prefix: string): string[] {
  return [
    ...params.map((param) => `${prefix}${param}: bigint`),
    ...(hasBody ? [`${prefix}body: NewPlant`] : []),
  ];
}
