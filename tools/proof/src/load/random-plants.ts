import type { Random } from './random.js';

/** A plant as it is sent. */
export interface SentPlant {
  readonly id: bigint;
  readonly name: string;
  /** `undefined` if it is sent without one. */
  readonly tag: string | undefined;
}

/** Ids at which a number of JavaScript, an int32 or an int64 ends, and their neighbours. */
const remarkableIds = [
  -(2n ** 63n),
  -(2n ** 63n) + 1n,
  2n ** 63n - 1n,
  2n ** 63n - 2n,
  0n,
  -1n,
  2n ** 31n,
  2n ** 53n - 1n,
  2n ** 53n,
  2n ** 53n + 1n,
  -(2n ** 53n) - 1n,
];

const words = [
  'Fern',
  'Monstera deliciosa',
  "Bird's nest",
  'Ácer 日本',
  '🌵',
  'a\\b"c',
  ' ',
  '\u{10FFFF}',
  "'); --",
];

/** Creates new plants, each with an id that none before had. */
export function createPlantSource(random: Random): () => SentPlant {
  const used = new Set<bigint>();
  function createId(): bigint {
    const kind = random.next();
    if (kind < 0.01) return random.pick(remarkableIds);
    // Neighbours, which a rounding to a number of JavaScript would make one.
    if (kind < 0.3) return 2n ** 53n + BigInt(random.below(100_000));
    if (kind < 0.5) return BigInt(random.below(2 ** 31));
    return random.int64();
  }
  return () => {
    let id = createId();
    while (used.has(id)) id = createId();
    used.add(id);
    return { id, ...createTexts(random) };
  };
}

/** Another plant under the id of one. */
export function createConflict(plant: SentPlant, random: Random): SentPlant {
  const { tag } = plant;
  // An absent tag and an empty one make different plants.
  if (tag === '' || tag === undefined) return { ...plant, tag: tag === '' ? undefined : '' };
  return { ...plant, name: `${plant.name} ${random.below(1_000)}` };
}

function createTexts(random: Random): Pick<SentPlant, 'name' | 'tag'> {
  const kind = random.next();
  const name = kind < 0.002 ? 'long '.repeat(random.below(20_000)) : createText(random);
  return { name, tag: random.next() < 0.4 ? undefined : createText(random) };
}

function createText(random: Random): string {
  return Array.from({ length: random.below(4) }, () => random.pick(words)).join(' ');
}
