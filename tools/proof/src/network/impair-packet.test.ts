import { expect, it } from 'vitest';
import { createRandom } from '../load/random.js';
import { type Direction, type Impairment, impairPacket, unimpaired } from './impair-packet.js';

/** How each of 10,000 packets arrives. */
function send(impairment: Partial<Impairment>, direction: Direction = 'to database') {
  const random = createRandom(1);
  return Array.from({ length: 10_000 }, () =>
    impairPacket({ ...unimpaired, ...impairment }, direction, random),
  );
}

it('passes every packet on at once, unless the link is impaired', () => {
  expect(send({})).toEqual(Array.from({ length: 10_000 }, () => [0]));
});

it('loses, duplicates, delays and reorders the given part of the packets', () => {
  const lost = send({ loss: 0.1 }).filter((arrivals) => arrivals.length === 0);
  expect(Math.abs(lost.length - 1_000)).toBeLessThan(150);
  const twice = send({ duplicate: 0.1 }).filter((arrivals) => arrivals.length === 2);
  expect(Math.abs(twice.length - 1_000)).toBeLessThan(150);
  const overtaken = send({ reorder: 0.1 }).filter(([delay]) => delay === 20);
  expect(Math.abs(overtaken.length - 1_000)).toBeLessThan(150);
  const delays = send({ delayMs: 5, jitterMs: 10 }).flat();
  expect(Math.min(...delays)).toBeGreaterThanOrEqual(5);
  expect(Math.max(...delays)).toBeLessThan(15);
});

it('cuts one direction or both', () => {
  const isCut = (cut: Impairment['cut'], direction: Direction) =>
    send({ cut }, direction).flat().length === 0;
  expect([isCut('both', 'to database'), isCut('both', 'from database')]).toEqual([true, true]);
  expect([isCut('to database', 'to database'), isCut('to database', 'from database')]).toEqual([true, false]);
  expect([isCut('from database', 'to database'), isCut('from database', 'from database')]).toEqual([
    false,
    true,
  ]);
});
