/** A source of pseudorandom numbers: the same seed gives the same numbers in the same order. */
export interface Random {
  /** From 0 inclusive to 1 exclusive, with 32 random bits. */
  next(): number;
  /** An integer from 0 inclusive to the limit, at most 2³², exclusive. */
  below(limit: number): number;
  /** Any signed 64-bit integer. */
  int64(): bigint;
  /** An element of a list that is not empty. */
  pick<T>(list: readonly T[]): T;
  /** Another source, independent of how many numbers are drawn from this one afterwards. */
  fork(): Random;
}

/**
 * Creates a source of pseudorandom numbers by SplitMix32, the 32-bit variant of SplitMix64 (Steele, Lea and Flood, Fast
 * Splittable Pseudorandom Number Generators, 2014).
 *
 * @param seed an integer, of which 32 bits count
 */
export function createRandom(seed: number): Random {
  let state = seed | 0;
  function uint32(): number {
    state = (state + 0x9e3779b9) | 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  }
  const next = () => uint32() / 2 ** 32;
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    next,
    below,
    int64: () => BigInt.asIntN(64, (BigInt(uint32()) << 32n) | BigInt(uint32())),
    pick<T>(list: readonly T[]): T {
      const element = list[below(list.length)];
      if (element === undefined) throw new Error('There is nothing to pick from');
      return element;
    },
    fork: () => createRandom(uint32()),
  };
}
