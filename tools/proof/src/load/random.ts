import { hash } from 'node:crypto';

/** A source of pseudorandom numbers: the same seed gives the same numbers in the same order. */
export interface Random {
  /** From 0 inclusive to 1 exclusive, with 32 random bits. */
  next(): number;
  /** An integer from 0 inclusive to the limit, at most 2³², exclusive. */
  below(limit: number): number;
  /** An element of a list that is not empty. */
  pick<T>(list: readonly T[]): T;
  /** Another source, independent of how many numbers are drawn from this one afterwards. */
  fork(): Random;
}

/** Creates a source of pseudorandom numbers: the hashes of the seed with the index of each number. */
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
