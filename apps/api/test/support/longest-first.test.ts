import { join } from 'node:path';
import { expect, it } from 'vitest';
import config from '../../vitest.config.js';
import { LongestFirst, longest, sortLongestFirst } from './longest-first.js';
import { exists } from './read-markdown.js';

it('puts the files that take longest first, and keeps the order of the others', () => {
  const [first = '', second = ''] = longest;
  const paths = ['test/b.test.ts', second, 'test/a.test.ts', first];
  const files = paths.map((path) => ({ moduleId: `/repository/apps/api/${path}` }));
  expect(sortLongestFirst(files).map(({ moduleId }) => moduleId)).toEqual(
    [first, second, 'test/b.test.ts', 'test/a.test.ts'].map((path) => `/repository/apps/api/${path}`),
  );
});

it('names only files that exist', () => {
  expect(longest.filter((path) => !exists(join('apps/api', path)))).toEqual([]);
});

it('is used by the tests in a browser', async () => {
  const { test } = await config({ mode: 'browser', command: 'serve' });
  expect(test?.sequence?.sequencer).toBe(LongestFirst);
});
