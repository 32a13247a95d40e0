import { hash } from 'node:crypto';

/** A source of pseudorandom numbers. The same seed gives the same numbers in the same order. */
export interface Random {
  /** Returns a number from 0 inclusive to 1 exclusive, with 32 random bits. */
  next(): number;
  /** Returns an integer from 0 inclusive to the limit exclusive. The limit is at most 2³². */
  below(limit: number): number;
  /** Returns an element of a list, which must not be empty. */
  pick<T>(list: readonly T[]): T;
  /** Returns another source. It does not depend on how many numbers are drawn from this one later. */
  fork(): Random;
}

/** Creates a source of pseudorandom numbers. Each is a hash of the seed and the index of the number. */
export function createRandom(seed: number): Random {
  let drawn = 0;
  const uint32 = () => Number.parseInt(hash('sha1', `${seed} ${drawn++}`).slice(0, 8), 16);
  const next = () => uint32() / 2 ** 32;
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    next,
    below,
    pick<T>(list: readonly T[]): T {
      const element = list[below(list.length)];
      if (element === undefined) throw new Error('There is nothing to pick from');
      return element;
    },
    fork: () => createRandom(uint32()),
  };
}
