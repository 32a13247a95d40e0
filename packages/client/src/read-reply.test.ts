import { routes } from '@plant-store/contract/routes';
import { describe, expect, it } from 'vitest';
import { readReply } from './read-reply.js';

const raw = (status: number, text: string, headers: Record<string, string> = { 'x-request-id': '7' }) => {
  // The constructor rejects a body for the statuses that have none.
  const response = new Response(status === 204 ? null : text, { status, headers });
  return { response, text };
};
const errorText = '{"error":40003,"message":"The id 1 belongs to another plant."}';

const { statuses } = routes.createPlant;

describe('readReply', () => {
  it('returns a plant', () => {
    expect(readReply(raw(200, '{"name":"Fern","tag":""}'), statuses)).toEqual({
      status: 200,
      body: { name: 'Fern', tag: '' },
      headers: expect.any(Headers),
      requestId: '7',
      replayed: false,
      response: expect.any(Response),
    });
  });

  it('returns an error of the service', () => {
    expect(readReply(raw(400, errorText), statuses)).toMatchObject({
      status: 400,
      body: { error: 40003, message: 'The id 1 belongs to another plant.' },
    });
  });

  it('returns an error whose number this version does not list', () => {
    const body = { error: 40099, message: 'An error of a later version.' };
    expect(readReply(raw(400, JSON.stringify(body)), statuses).body).toEqual(body);
  });

  it.each([
    [{ 'idempotent-replayed': 'true' }, true, null],
    [{ 'idempotent-replayed': 'false', 'x-request-id': 'a' }, false, 'a'],
  ])('reads %j', (headers, replayed, requestId) => {
    expect(readReply(raw(200, '{}', headers), statuses)).toMatchObject({ replayed, requestId });
  });

  it('returns no body where the contract declares none', () => {
    expect(readReply(raw(204, ''), [204]).body).toBeUndefined();
  });

  it.each([201, 204, 404, 405, 418, 502])('throws for the undeclared status %i', (status) => {
    expect(() => readReply(raw(status, errorText), statuses)).toThrow(
      expect.objectContaining({
        name: 'UnexpectedResponseError',
        message: `Unexpected response with status ${status}: undeclared status`,
        status,
        bodyStart: errorText,
      }),
    );
  });

  it.each([
    [200, ''],
    [200, '<!doctype html><title>Sign in</title>'],
    [200, '{"name":"Fern"'],
    [503, 'upstream connect error'],
  ])('throws for status %i with %j, which is not JSON', (status, text) => {
    expect(() => readReply(raw(status, text), statuses)).toThrow(
      expect.objectContaining({
        name: 'UnexpectedResponseError',
        message: `Unexpected response with status ${status}: body is not JSON`,
        status,
        bodyStart: text,
        cause: expect.any(SyntaxError),
      }),
    );
  });

  it.each([
    [200, 'null'],
    [200, '"Fern"'],
    [200, '[{"name":"Fern"}]'],
    [400, 'null'],
    [400, '{}'],
    [401, '{"error":"invalid_token","message":"expired"}'],
    [429, '{"error":42900.5,"message":"slower"}'],
    [500, '{"error":50000}'],
    [500, '{"message":"Internal server error"}'],
    [503, '{"error":50300,"message":null}'],
  ])('throws for status %i with %s, which has the wrong shape', (status, text) => {
    expect(() => readReply(raw(status, text), statuses)).toThrow(
      expect.objectContaining({
        name: 'UnexpectedResponseError',
        message: `Unexpected response with status ${status}: body has the wrong shape`,
        status,
        bodyStart: text,
      }),
    );
  });
});
