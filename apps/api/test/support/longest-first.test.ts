import { join } from 'node:path';
import { expect, it } from 'vitest';
import config from '../../vitest.config.js';
import { LongestFirst, longest, sortLongestFirst } from './longest-first.js';
import { exists } from './read-markdown.js';

it('puts the files that take longest first in their project, and keeps the order of the others', () => {
  const [first = '', second = ''] = longest;
  const of = (name: string, paths: readonly string[]) =>
    paths.map((path) => ({ moduleId: `/repository/apps/api/${path}`, project: { name } }));
  const files = of('one', ['test/b.test.ts', second, 'test/a.test.ts', first]);
  const others = of('another', ['test/c.test.ts', first]);
  expect(sortLongestFirst([...files, ...others])).toEqual([
    ...of('one', [first, second, 'test/b.test.ts', 'test/a.test.ts']),
    ...of('another', [first, 'test/c.test.ts']),
  ]);
});

it('names only files that exist', () => {
  expect(longest.filter((path) => !exists(join('apps/api', path)))).toEqual([]);
});

it('is used by the tests in a browser', async () => {
  const { test } = await config({ mode: 'browser', command: 'serve' });
  expect(test?.sequence?.sequencer).toBe(LongestFirst);
});
