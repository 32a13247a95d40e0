import type { ListQuery } from '@plant-store/records';
import { expect, it } from 'vitest';

import { listPlants } from './list-plants.js';

/** The orders of the lists that a page needs. */
async function ordersFor(query: Parameters<typeof listPlants>[1]) {
  const orders: ListQuery['order'][] = [];
  const list = async ({ order }: ListQuery) => {
    orders.push(order);
    return { records: [], last: undefined };
  };
  await listPlants({ list }, query, 1);
  return orders;
}

it('examines plants without a time last, unless a time is asked for', async () => {
  expect(await ordersFor({})).toEqual(['id']);
  expect(await ordersFor({ order: 'newest' })).toEqual(['newest', 'untimed']);
  for (const name of ['addedFrom', 'addedBefore'])
    expect(await ordersFor({ order: 'newest', [name]: '2026-11-25T10:00:00Z' })).toEqual(['newest']);
});
