import { describe, expect, it } from 'vitest';
import { NewPlantSchema } from '../plant.js';
import { explainInvalidRequest, formatIssues } from './format-issues.js';

describe('formatIssues', () => {
  it.each([
    [{}, 'id is required; name is required'],
    [
      { id: '1', name: null, tag: 7 },
      'id must be an integer from -9223372036854775808 to 9223372036854775807; name must be a string; tag must be a string',
    ],
    [[], 'the body must be a JSON object'],
  ])('names every issue and its field: %j', (body, issues) => {
    expect(formatIssues(NewPlantSchema.safeParse(body).error?.issues)).toBe(issues);
  });

  it('names a nested field by its path', () => {
    expect(formatIssues([{ message: 'is odd', path: ['plants', 0, 'id'] }])).toBe('plants.0.id is odd');
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
