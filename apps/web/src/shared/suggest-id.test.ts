import { expect, it } from 'vitest';
import { suggestId } from './suggest-id.js';

it('suggests distinct whole numbers of 12 digits', () => {
  const ids = Array.from({ length: 1_000 }, suggestId);
  for (const id of ids) expect(id).toMatch(/^[1-9]\d{11}$/);
  expect(new Set(ids).size).toBe(ids.length);
});
