/** Draws that a seed decides: the same seed gives the same draws in the same order. */
export interface Draws {
  /** Whether something of this probability happens. */
  chance(probability: number): boolean;
  /** A whole number from `least` to `most`. */
  integer(least: number, most: number): number;
  /** One of several, each as likely as the next. */
  oneOf<Value>(values: readonly [Value, ...Value[]]): Value;
}

/** Starts the draws of a seed, by the generator known as Mulberry32. */
export function drawsOf(seed: number): Draws {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  return {
    chance: (probability) => next() < probability,
    integer,
    oneOf: (values) => values[integer(0, values.length - 1)] ?? values[0],
  };
}
