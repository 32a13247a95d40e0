import { expect, it } from 'vitest';
import { getPlants } from './get-plant.js';

const texts = new Map(
  [1, 2, 3, 4].map((millions) => [BigInt(millions), 'é'.repeat((millions * 2 ** 20) / 2)]),
);
const find = async (id: bigint) => {
  const name = texts.get(id);
  return name === undefined ? undefined : { id, name };
};
const get = (...items: string[]) => getPlants(find, { items, caller: 1, awaitTurn: async (left) => left });
const [overloaded, unknown] = [{ errorName: 'overloaded' }, { errorName: 'plant_not_found' }];

it('returns as many plants of a batch as have 4 MiB of text together, in their order', async () => {
  expect(await get('1', '9', '3', '9')).toMatchObject([{ id: 1n }, unknown, { id: 3n }, unknown]);
  expect(await get('1', '4', '1', 'x')).toMatchObject([
    ...[{ id: 1n }, overloaded, overloaded],
    { errorName: 'bad_request' },
  ]);
});

it('returns one plant, however long its text is', async () => {
  texts.set(5n, 'x'.repeat(5 * 2 ** 20));
  expect(await get('9', '5', '5')).toMatchObject([unknown, { id: 5n }, overloaded]);
});

it('looks up no more than 64 ids at a time, and none once the reply is full', async () => {
  let [inFlight, most, count] = [0, 0, 0];
  const slow = async (id: bigint) => {
    count++;
    most = Math.max(most, ++inFlight);
    await new Promise(setImmediate);
    inFlight--;
    return { id, name: texts.get(1n) ?? '' };
  };
  const items = Array.from({ length: 200 }, (_, at) => `${at}`);
  const found = await getPlants(slow, { items, caller: 1, awaitTurn: async (left) => left });
  expect(found.filter((one) => 'id' in one)).toHaveLength(4);
  expect([most, count]).toEqual([64, 64]);
});
