import { routes } from '@plant-store/contract/routes';
import { describe, expect, it } from 'vitest';
import { readReply } from './read-reply.js';

const headers = new Headers({ 'x-request-id': '7' });
const errorText = '{"error":40003,"message":"The id 1 belongs to another plant."}';

const { statuses } = routes.createPlant;

describe('readReply', () => {
  it('gives a plant', () => {
    expect(readReply({ status: 200, headers, text: '{"name":"Fern","tag":""}' }, statuses)).toEqual({
      status: 200,
      body: { name: 'Fern', tag: '' },
      headers,
    });
  });

  it('gives an error of the service', () => {
    expect(readReply({ status: 400, headers, text: errorText }, statuses)).toEqual({
      status: 400,
      body: { error: 40003, message: 'The id 1 belongs to another plant.' },
      headers,
    });
  });

  it.each([201, 204, 301, 404, 405, 418, 502])('throws for the undeclared status %i', (status) => {
    expect(() => readReply({ status, headers, text: errorText }, statuses)).toThrow(
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
    expect(() => readReply({ status, headers, text }, statuses)).toThrow(
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
  ])('throws for status %i with %s, which is of another form', (status, text) => {
    expect(() => readReply({ status, headers, text }, statuses)).toThrow(
      expect.objectContaining({
        name: 'UnexpectedResponseError',
        message: `Unexpected response with status ${status}: body of another form`,
        status,
        bodyStart: text,
      }),
    );
  });
});
