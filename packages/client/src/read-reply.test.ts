import { routes } from '@plant-store/contract/routes';
import { expect, it } from 'vitest';
import { readReply } from './read-reply.js';

function read(status: number, text: string, headers: Record<string, string> = {}) {
  // The constructor rejects a body for the statuses that have none.
  const response = new Response(status === 204 ? null : text, { status, headers });
  return readReply({ response, text }, routes.createPlant.statuses);
}

const errorText = '{"error":40003,"message":"The id 1 belongs to another plant."}';

it.each([
  [200, '{"name":"Fern","tag":""}', { name: 'Fern', tag: '' }],
  [400, errorText, { error: 40003, message: 'The id 1 belongs to another plant.' }],
  // An error of a later version.
  [400, '{"error":40099,"message":""}', { error: 40099, message: '' }],
])('returns the body of a %i: %s', (status, text, body) => {
  expect(read(status, text)).toEqual({
    status,
    body,
    headers: expect.any(Headers),
    requestId: null,
    replayed: false,
    response: expect.any(Response),
  });
});

it.each([
  [{ 'idempotent-replayed': 'true' }, true, null],
  [{ 'idempotent-replayed': 'false', 'x-request-id': 'a' }, false, 'a'],
])('reads %j', (headers, replayed, requestId) => {
  expect(read(200, '{}', headers)).toMatchObject({ replayed, requestId });
});

it('returns no body where the contract declares none', () => {
  const response = new Response(null, { status: 204 });
  expect(readReply({ response, text: '' }, routes.deletePlant.statuses).body).toBeUndefined();
});

it.each<[string, number, string[]]>([
  ['undeclared status', 201, ['{}']],
  ['undeclared status', 204, ['']],
  ['undeclared status', 404, [errorText]],
  ['undeclared status', 502, [errorText]],
  ['body is not JSON', 200, ['', '<!doctype html><title>Sign in</title>', '{"name":"Fern"']],
  ['body is not JSON', 503, ['upstream connect error']],
  ['body has the wrong shape', 200, ['null', '"Fern"', '[{"name":"Fern"}]']],
  ['body has the wrong shape', 400, ['null', '{}', '{"error":"invalid_token","message":"expired"}']],
  [
    'body has the wrong shape',
    503,
    ['{"error":42900.5,"message":""}', '{"error":50000}', '{"message":"No."}'],
  ],
  ['body has the wrong shape', 500, ['{"error":50300,"message":null}']],
])('throws that the %s: %i', (reason, status, texts) => {
  const message = `Unexpected response with status ${status}: ${reason}`;
  const cause = reason === 'body is not JSON' && { cause: expect.any(SyntaxError) };
  for (const bodyStart of texts)
    expect(() => read(status, bodyStart), bodyStart).toThrow(
      expect.objectContaining({ name: 'UnexpectedResponseError', message, status, bodyStart, ...cause }),
    );
});
