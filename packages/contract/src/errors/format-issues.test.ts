import { describe, expect, it } from 'vitest';
import { NewPlantSchema } from '../plant.js';
import { formatIssues } from './format-issues.js';

describe('formatIssues', () => {
  it.each([
    [{}, 'id is required; name is required'],
    [
      { id: '1', name: null, tag: 7 },
      'id must be an integer from -9223372036854775808 to 9223372036854775807; name must be a string; tag must be a string',
    ],
    [[], 'the body must be a JSON object'],
  ])('names every fault and its field: %j', (body, faults) => {
    expect(formatIssues(NewPlantSchema.safeParse(body).error?.issues)).toBe(faults);
  });

  it('names a nested field by its path', () => {
    expect(formatIssues([{ message: 'is odd', path: ['plants', 0, 'id'] }])).toBe('plants.0.id is odd');
  });
});
