import { expect, it } from 'vitest';
import { fieldsAfter, text } from './resource.js';

it('lists the fields that came after a version', () => {
  const options = { label: 'A label', description: 'A text', example: 'a' };
  const resource = {
    name: 'garden',
    plural: 'gardens',
    fields: {
      name: text({ ...options, required: true }),
      light: text({ ...options, since: '1.9' }),
      location: text({ ...options, since: '1.10' }),
    },
  };
  expect(['1.8', '1.9', '1.10', '2.0'].map((version) => fieldsAfter(version, resource))).toEqual([
    ['light', 'location'],
    ['location'],
    [],
    [],
  ]);
});
