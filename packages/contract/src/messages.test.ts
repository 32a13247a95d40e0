import { expect, it } from 'vitest';
import type * as z from 'zod';
import { contract } from './contract.js';
import { explainInvalid, messages, type RequestIssues, shorten } from './messages.js';
import { subjectOfOperation } from './metadata.js';
import { NewPlantSchema, plants, TokenRotationSchema } from './schemas.js';

it.each([
  ['12345', '12345'],
  ['123456', '12345…'],
  ['1234🌵6', '1234…'],
  ['123🌵6', '123🌵…'],
])('%j is shortened to %j', (text, shortened) => {
  expect(shorten(text, 5)).toBe(shortened);
});

it.each([
  messages.unsupportedContentType('x'.repeat(10_000)),
  messages.unsupportedContentCoding('x'.repeat(10_000)),
  messages.notFound(`/${'x'.repeat(10_000)}`),
  messages.methodNotAllowed('PUT', `/plants/${'x'.repeat(10_000)}`, ['GET', 'HEAD', 'DELETE']),
])('a long part of a request is truncated: %s', (message) => {
  expect(message).toMatch(/xxx….*\.$/);
  expect(message.length).toBeLessThan(300);
});

const issuesOf = (schema: z.ZodType, body: unknown) => ({ body: schema.safeParse(body).error?.issues });
const required = (...path: unknown[]) => [{ message: 'is required', path }];
const batch = required('plants');

it.each<[string, RequestIssues, keyof typeof contract]>([
  ['The plant is not valid: id is required; name is required.', issuesOf(NewPlantSchema, {}), 'createPlant'],
  ['The plant is not valid: it must be a JSON object.', issuesOf(NewPlantSchema, []), 'createPlant'],
  ['The plant is not valid: name is required.', { path: [], body: required('name') }, 'updatePlant'],
  ['The batch is not valid: plants is required.', issuesOf(plants.batch, {}), 'createPlants'],
  ['The batch is not valid: it must be a JSON object.', issuesOf(plants.batch, []), 'createPlants'],
  ['The batch is not valid: ids is required.', issuesOf(plants.ids, {}), 'getPlants'],
  ['The batch is not valid: plants is required.', issuesOf(plants.updates, {}), 'updatePlants'],
  ['The batch is not valid: ids is required.', issuesOf(plants.deletions, {}), 'deletePlants'],
  [
    'The batch is not valid: plants is required; x is required.',
    { body: [...batch, ...required('x')] },
    'createPlants',
  ],
  ['The new token is not valid: name is required.', { body: required('name') }, 'createToken'],
  [
    'The rotation is not valid: overlapSeconds is required.',
    issuesOf(TokenRotationSchema, {}),
    'rotateToken',
  ],
  [
    'The request is not valid: the query parameter x is odd.',
    { query: [{ message: 'is odd', keys: ['x'] }] },
    'listPlants',
  ],
  ['The request is not valid: the path parameter id is required.', { path: required('id') }, 'getPlant'],
  [
    'The request is not valid: the path parameter id is required; the query parameter limit is required; ' +
      'the query parameter tag.0 is required; the x-tenant header is required; ' +
      'the body field name is required; the body must be a JSON object.',
    {
      path: required('id'),
      query: [...required('limit'), ...required('tag', 0)],
      headers: required('x-tenant'),
      body: [...required('name'), { message: 'must be a JSON object' }],
    },
    'createPlant',
  ],
])('names every issue, and the part of the request that it is in: %s', (message, issues, name) => {
  const errorName = message.startsWith('The request')
    ? 'bad_request'
    : name.endsWith('Token')
      ? 'invalid_token_request'
      : 'invalid_plant';
  expect(explainInvalid(issues, subjectOfOperation(contract[name].metadata))).toEqual({ errorName, message });
});
