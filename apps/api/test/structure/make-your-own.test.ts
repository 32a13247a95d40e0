import { expect, it } from 'vitest';
import { findCollisions, renamePlants } from '../../../../.ci/make-your-own.js';

const order = { one: 'order', several: 'orders' };

it.each([
  ['No plant; a plant, A `plant`, and houseplants', 'No order; an order, An `order`, and houseplants'],
  ['createPlants(plant_ids, MAX_PLANTS)', 'createOrders(order_ids, MAX_ORDERS)'],
  ["'\\nplants', '%3Aplants', PlantToStore", "'\\norders', '%3Aorders', OrderToStore"],
  ['a plant stored in a Plant Store', 'an order stored in a Plant Store'],
  ['plant-store PlantStoreError PLANT_STORE_URL plant_store_ready', undefined],
  ['planted_at houseplant', undefined],
  ['src/plants/plant-pages.ts', 'src/orders/order-pages.ts'],
])('renames plants in %j', (text, renamed = text) => {
  expect(renamePlants(text, order)).toBe(renamed);
});

it('keeps the article before a noun that begins with a consonant', () => {
  expect(renamePlants('a plant', { one: 'book', several: 'books' })).toBe('a book');
});

it.each([
  ['const order = sort(plant);', ['order']],
  ['type Orders = readonly Plant[]; const Plants = 1;', ['Orders']],
  ["list({ order: 'id' }, plant.order, 'order'); // order", []],
])('finds the names that would mean two things in %j', (program, collisions) => {
  expect(findCollisions(program, order)).toEqual(collisions);
});
