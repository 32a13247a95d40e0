/** Random values that depend on a seed alone: the same seed gives the same values in the same order. */
export interface SeededRandom {
  /** Whether something of this probability happens. */
  chance(probability: number): boolean;
  /** An integer from `min` to `max`. */
  integer(min: number, max: number): number;
  /** One of several values, each equally likely. */
  pick<Value>(values: readonly [Value, ...Value[]]): Value;
}

/** Creates the generator of a seed, by the algorithm known as Mulberry32. */
export function seededRandom(seed: number): SeededRandom {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));
  return {
    chance: (probability) => next() < probability,
    integer,
    pick: (values) => values[integer(0, values.length - 1)] ?? values[0],
  };
}
