import openapi from '@plant-store/contract/openapi.json' with { type: 'json' };
import { expect, it } from 'vitest';
import { useTestService } from '../support/start-test-service.js';

const service = useTestService();

interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly example: unknown;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: {
      readonly 'application/json': { readonly example: object };
    };
  };
}

const operations = Object.entries(openapi.paths).flatMap(([path, methods]) =>
  Object.entries<Operation>(methods).map(([method, operation]) => ({ path, method, ...operation })),
);

/** Sends the examples of an operation, as a tool does that makes a request of all of them. */
async function send(operation: (typeof operations)[number]): Promise<Response> {
  const { path, method, parameters = [], requestBody } = operation;
  const of = (place: string) =>
    parameters.filter((parameter) => parameter.in === place).map(({ name, example }) => [name, `${example}`]);
  const target = of('path').reduce((text, [name, value = '']) => text.replace(`{${name}}`, value), path);
  return fetch(`${service.baseUrl}${target}?${new URLSearchParams(of('query'))}`, {
    method: method.toUpperCase(),
    headers: {
      ...Object.fromEntries(of('header')),
      authorization: `Bearer ${service.token}`,
      ...(requestBody && { 'content-type': 'application/json' }),
    },
    body: requestBody ? JSON.stringify(requestBody.content['application/json'].example) : null,
  });
}

it('has examples that succeed when they are sent in the order of the document', async () => {
  const failed: string[] = [];
  const bodies = new Map<string, unknown>();
  for (const operation of operations) {
    const { operationId } = operation;
    const response = await send(operation);
    const text = await response.text();
    if (!response.ok) failed.push(`${operationId}: ${response.status}`);
    bodies.set(operationId, text === '' ? undefined : JSON.parse(text));
  }
  // The plant was deleted before, and the others would otherwise end a token in use.
  expect(failed).toEqual(['getPlantHistory: 404', 'rotateToken: 404', 'revokeToken: 404']);
  const id = 314_159_265;
  expect(bodies.get('listPlants')).toMatchObject({ plants: [{ id }] });
  expect(bodies.get('getPlant')).toMatchObject({ id, name: 'Monstera deliciosa' });
  expect(bodies.get('updatePlant')).toMatchObject({ id, name: 'Monstera adansonii' });
  const created = { status: 200, replayed: false, etag: expect.any(String) };
  expect(bodies.get('createPlants')).toEqual({ results: [created, created] });
  expect(bodies.get('getPlants')).toMatchObject({ results: [{ status: 200 }, { status: 200 }] });
  const updated = { status: 200, plant: { name: 'Monstera adansonii' } };
  expect(bodies.get('updatePlants')).toMatchObject({ results: [updated, updated] });
  expect(bodies.get('deletePlants')).toEqual({ results: [{ status: 204 }, { status: 204 }] });
});
