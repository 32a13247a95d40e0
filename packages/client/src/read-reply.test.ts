import { routes } from '@plant-store/contract/routes';
import { describe, expect, it, vi } from 'vitest';
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
  return readReply(response, text, routes.createPlant.statuses, { ...request, status }, () => {});
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
])('reads %j', (headers, replayed, etag) => {
  expect(read(200, '{}', headers)).toMatchObject({ replayed, etag });
});

it('returns no body where the contract declares none', () => {
  for (const [status, { statuses }] of [
    [204, routes.deletePlant],
    [304, routes.getPlant],
  ] as const) {
    const response = new Response(null, { status });
    expect(readReply(response, '', statuses, request, () => {})).toMatchObject({ status, body: undefined });
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
])('throws for a %s: %i', (what, status, texts) => {
  const [problem] = what.split(' ');
  const message = `POST https://example.com/plants got an unexpected ${problem}, status ${status}, request a`;
  const cause = what.endsWith('not JSON') && { cause: expect.any(SyntaxError) };
  for (const bodyStart of texts) {
    const expected = { ...request, name: 'UnexpectedResponseError', message, status, ...cause };
    const error = throwOf(() => read(status, bodyStart));
    expect(error).toMatchObject({ ...expected, bodyStart });
    if (!cause) expect(error).not.toHaveProperty('cause');
  }
});

function throwOf(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}

describe('validate', () => {
  const check = (status: number, text: string, validate: (reply: object) => void) => () =>
    readReply(new Response(null, { status }), text, [200, 204, 400], { ...request, status }, validate);

  it('gets what was read, also without a body', () => {
    const seen: object[] = [];
    const validate = (reply: object) => seen.push(reply);
    check(200, '{"id":9007199254740993}', validate)();
    check(204, '', validate)();
    check(400, errorText, validate)();
    expect(seen).toEqual([
      { status: 200, body: { id: 9007199254740993n } },
      { status: 204, body: undefined },
      { status: 400, body: JSON.parse(errorText) },
    ]);
  });

  it('is not called for what is no reply of the API', () => {
    const validate = vi.fn();
    for (const text of ['', '[]', 'null', '{"error":"x"}']) expect(check(400, text, validate)).toThrow();
    expect(validate).not.toHaveBeenCalled();
  });

  it('throws the cause of the error', () => {
    const cause = new Error('name: expected a string');
    const error = { name: 'UnexpectedResponseError', status: 200, cause };
    const validate = () => {
      throw cause;
    };
    expect(check(200, '{"name":7}', validate)).toThrow(expect.objectContaining(error));
  });
});
