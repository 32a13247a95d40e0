import type { Random } from '../load/random.js';

/** What a link does to packets. */
export interface Impairment {
  /** How long each packet takes, in milliseconds, and how much longer at most, at random. */
  readonly delayMs: number;
  readonly jitterMs: number;
  /** The part of the packets that are lost, that arrive twice, and that are overtaken by later ones, 0 to 1 each. */
  readonly loss: number;
  readonly duplicate: number;
  readonly reorder: number;
  /** The direction in which nothing arrives. */
  readonly cut: 'none' | 'both' | 'to database' | 'from database';
}

export type Direction = 'to database' | 'from database';

/** A link that passes every packet on at once. */
export const unimpaired: Impairment = {
  delayMs: 0,
  jitterMs: 0,
  loss: 0,
  duplicate: 0,
  reorder: 0,
  cut: 'none',
};

/** How much later a packet arrives that others overtake, in milliseconds. */
const overtakenMs = 20;

/** Decides how often a packet arrives, and each time after how many milliseconds; never if it is lost. */
export function impairPacket(
  { delayMs, jitterMs, loss, duplicate, reorder, cut }: Impairment,
  direction: Direction,
  random: Random,
): readonly number[] {
  if (cut === 'both' || cut === direction || random.next() < loss) return [];
  const copies = random.next() < duplicate ? 2 : 1;
  const overtaken = random.next() < reorder ? overtakenMs : 0;
  return Array.from({ length: copies }, () => delayMs + jitterMs * random.next() + overtaken);
}
