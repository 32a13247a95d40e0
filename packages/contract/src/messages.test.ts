import { describe, expect, it } from 'vitest';
import { type ErrorName, errors } from './errors.js';
import { explainInvalidRequest, messages, shorten } from './messages.js';
import { NewPlantSchema } from './schemas.js';

describe('the messages', () => {
  it.each<[ErrorName, string]>([
    ['malformed_json', messages.malformedJson("Expected end of input but got '}' at position 27")],
    ['id_taken', messages.idTaken(9223372036854775807n)],
    ['unsupported_content_type', messages.unsupportedContentType('text/plain')],
    ['body_too_large', messages.bodyTooLarge(1024 * 1024)],
    ['missing_token', messages.missingToken],
    ['not_found', messages.notFound('/plant')],
    ['method_not_allowed', messages.methodNotAllowed('GET', '/plants', ['POST'])],
  ])('the example of %s is one of them', (name, message) => {
    expect(errors[name].example).toBe(message);
  });
});

it.each([
  ['Rose', 'Rose'],
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
])('a long part of a request is cut off: %s', (message) => {
  expect(message).toMatch(/xxx….*\.$/);
  expect(message.length).toBeLessThan(300);
});

describe('the message of a plant that is not valid', () => {
  it.each([
    [{}, 'id is required; name is required'],
    [
      { id: '1', name: null, tag: 7 },
      'id must be an integer from -9223372036854775808 to 9223372036854775807; name must be a string; tag must be a string',
    ],
    [[], 'the body must be a JSON object'],
  ])('names every issue and its field: %j', (body, issues) => {
    const { message } = explainInvalidRequest({ body: NewPlantSchema.safeParse(body).error?.issues });
    expect(message).toBe(`The plant is not valid: ${issues}.`);
  });

  it('names a nested field by its path', () => {
    const body = [{ message: 'is odd', path: ['plants', 0, 'id'] }];
    expect(explainInvalidRequest({ body }).message).toBe('The plant is not valid: plants.0.id is odd.');
  });
});

describe('explainInvalidRequest', () => {
  const required = (...path: unknown[]) => [{ message: 'is required', path }];

  it('calls a plant invalid where only the body has issues', () => {
    expect(explainInvalidRequest({ path: [], body: required('id') })).toEqual({
      errorName: 'invalid_plant',
      message: 'The plant is not valid: id is required.',
    });
  });

  it('names the part of the request that each issue is in', () => {
    const issues = {
      path: required('id'),
      query: [...required('limit'), ...required('tag', 0)],
      headers: required('x-tenant'),
      body: [...required('name'), { message: 'must be a JSON object' }],
    };
    expect(explainInvalidRequest(issues)).toEqual({
      errorName: 'bad_request',
      message:
        'The request is not valid: the path parameter id is required; the query parameter limit is required; ' +
        'the query parameter tag.0 is required; the header x-tenant is required; ' +
        'the field name of the body is required; the body must be a JSON object.',
    });
  });
});
