import { expect, it } from 'vitest';
import { operationsByName } from './resources.js';

const { withFields, entityTagOf, show } = operationsByName.plant;

it('identifies a create and its reply as in databases and exports of all versions', () => {
  const fern = { id: 7n, name: 'Fern', tag: 'outdoor', addedAt: 5 };
  const original = 'bUyT64G1XBMZ1EKtOCs926bJ8JRkgfXiNyInnAAaDNo';
  expect(withFields(fern, { name: 'Ivy' })).toMatchObject({ original });
  expect(entityTagOf(fern)).toBe('"mYj-AJ63qY8fxjhuanwO6n"');
});

it('shows an id as a number if that is exact', () => {
  const shownIds = [2n ** 53n - 1n, 2n ** 53n, -(2n ** 63n)].map((id) => show({ id, name: 'Fern' }).id);
  expect(shownIds).toEqual([2 ** 53 - 1, 2n ** 53n, -(2n ** 63n)]);
});
