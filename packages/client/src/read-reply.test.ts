import { routes } from '@plant-store/contract/routes';
import { expect, it, vi } from 'vitest';
import type { RequestSummary } from './errors/plant-store-error.js';
import { readReply } from './read-reply.js';

const request: RequestSummary = {
  method: 'POST',
  url: 'https://example.com/plants',
  requestId: 'a',
  outcome: 'unknown',
};

function read(status: number, text: string, headers: Record<string, string> = {}) {
  // The constructor rejects a body for the statuses that have none.
  const response = new Response([204, 304].includes(status) ? null : text, { status, headers });
  return readReply(response, text, routes.createPlant, { ...request, status }, () => {});
}

const errorText = '{"error":40003,"message":"Plant 1 already exists with different values."}';

it.each([
  [200, '{"name":"Fern","tag":""}', { name: 'Fern', tag: '' }],
  [400, errorText, { error: 40003, message: 'Plant 1 already exists with different values.' }],
  // An error of a later version.
  [400, '{"error":40099,"message":""}', { error: 40099, message: '' }],
])('returns the body of a %i: %s', async (status, text, body) => {
  expect(await read(status, text)).toEqual({
    status,
    body,
    headers: expect.any(Headers),
    requestId: 'a',
    etag: null,
    replayed: false,
    request: { ...request, status },
    response: expect.any(Response),
  });
});

it.each([
  [{ 'idempotent-replayed': 'true' }, true, null],
  [{ 'idempotent-replayed': 'false', etag: '"a"' }, false, '"a"'],
])('reads %j', async (headers, replayed, etag) => {
  expect(await read(200, '{}', headers)).toMatchObject({ replayed, etag });
});

it('returns no body where the contract declares none', async () => {
  for (const [status, route] of [
    [204, routes.deletePlant],
    [304, routes.getPlant],
  ] as const) {
    const response = new Response(null, { status });
    expect(await readReply(response, '', route, request, () => {})).toMatchObject({
      status,
      body: undefined,
    });
  }
});

it.each<[string, number, string[]]>([
  ['status', 201, ['{}']],
  ['status', 204, ['']],
  ['status', 404, [errorText]],
  ['status', 502, [errorText]],
  ['body that is not JSON', 200, ['', '<!doctype html><title>Sign in</title>', '{"name":"Fern"']],
  ['body that is not JSON', 503, ['upstream connect error']],
  ['body of the wrong shape', 200, ['null', '"Fern"', '[{"name":"Fern"}]']],
  ['body of the wrong shape', 400, ['null', '{}', '{"error":"invalid_token","message":"expired"}']],
  [
    'body of the wrong shape',
    503,
    ['{"error":42900.5,"message":""}', '{"error":50000}', '{"message":"No."}'],
  ],
  ['body of the wrong shape', 500, ['{"error":50300,"message":null}']],
])('throws for a %s: %i', async (what, status, texts) => {
  const [problem] = what.split(' ');
  const message = `POST https://example.com/plants got an unexpected ${problem}, status ${status}, request a`;
  const cause = what.endsWith('not JSON') && { cause: expect.any(SyntaxError) };
  for (const bodyStart of texts) {
    const expected = { ...request, name: 'UnexpectedResponseError', message, status, ...cause };
    const error = await read(status, bodyStart).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ ...expected, bodyStart });
    if (!cause) expect(error).not.toHaveProperty('cause');
  }
});

it('validates no response that is not a reply of the API', async () => {
  const validate = vi.fn();
  for (const text of ['', '[]', 'null', '{"error":"x"}']) {
    const reply = readReply(new Response(null, { status: 400 }), text, routes.createPlant, request, validate);
    await expect(reply).rejects.toThrow();
  }
  expect(validate).not.toHaveBeenCalled();
});
