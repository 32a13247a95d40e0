import { expect, it } from 'vitest';
import { compose, type QueryWrapper } from './queries.js';

it('runs a query inside the last runner, and that inside those before it', async () => {
  const steps: string[] = [];
  const runner =
    (name: string): QueryWrapper =>
    async (query) => {
      steps.push(`${name} begins`);
      try {
        return await query();
      } finally {
        steps.push(`${name} ends`);
      }
    };
  const run = compose(runner('outer'), runner('inner'));
  expect(await run(async () => steps.push('query'))).toBe(3);
  expect(steps).toEqual(['outer begins', 'inner begins', 'query', 'inner ends', 'outer ends']);
  await expect(run(() => Promise.reject(new Error('no disk')))).rejects.toThrow('no disk');
});
