import { expect, it } from 'vitest';
import { findUndocumented } from './documented-reply.js';

const headers = { 'content-type': 'application/json; charset=utf-8', 'x-request-id': 'a' };
const reply = (status: number, body: string, more: Readonly<Record<string, string>> = {}) => ({
  status,
  headers: new Map(Object.entries({ ...headers, ...more })),
  body: Buffer.from(body),
});

it.each([
  [200, '{"name":"a"}', { 'idempotent-replayed': 'true' }],
  [400, '{"error":40001,"message":"a"}', {}],
  [405, '{"error":40500,"message":"a"}', { allow: 'POST' }],
])('finds nothing in a documented reply: %d', (status, body, more) => {
  expect(findUndocumented(reply(status, body, more), false)).toEqual([]);
});

it('knows the replies of each operation', () => {
  const results = reply(200, '{"results":[{"status":200,"replayed":true}]}');
  expect(findUndocumented(results, false, 'createPlants')).toEqual([]);
  expect(findUndocumented(results, false, 'getPlant')).toContainEqual(expect.stringContaining("'id'"));
  const deleted = { ...reply(204, ''), headers: new Map([['x-request-id', 'a']]) };
  expect(findUndocumented(deleted, false, 'deletePlant')).toEqual([]);
  expect(findUndocumented(deleted, false)).toEqual(['status 204 is not documented']);
  expect(findUndocumented(reply(204, ''), false, 'deletePlant').join()).toContain(
    'the Content-Type of no body',
  );
});

it.each([
  [500, '{"error":50000,"message":"a"}', {}, 'status 500'],
  [402, '{"error":40200,"message":"a"}', {}, 'status 402 is not documented'],
  [200, '{"tag":"a"}', {}, "required property 'name'"],
  [200, '{"name":"a"}', { 'idempotent-replayed': 'yes' }, 'the header idempotent-replayed'],
  [400, '{"error":4e10,"message":"a"}', {}, 'int32'],
  [400, '<h1>Bad Request</h1>', {}, 'the body is not JSON'],
  [400, '{"error":40001,"message":"a"}', { 'x-powered-by': 'Express' }, 'the header x-powered-by'],
  [405, '{"error":40500,"message":"a"}', {}, 'there is no allow'],
])('finds what is not documented: %d %s', (status, body, more, problem) => {
  expect(findUndocumented(reply(status, body, more), false).join()).toContain(problem);
});
