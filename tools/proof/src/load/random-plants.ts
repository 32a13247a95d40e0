import { plantFieldNames } from '@plant-store/contract/fields';
import type { NewPlant, Plant } from '@plant-store/contract/operations';
import { isRequired } from '../plant.js';
import type { Random } from './random.js';

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
export function createPlantSource(random: Random): () => NewPlant {
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
    const texts = plantFieldNames.map((name) => [
      name,
      !isRequired(name) && random.next() < 0.4 ? undefined : createText(random),
    ]);
    return { id, ...(Object.fromEntries(texts) as Plant) };
  };
}

/** Another plant under the id of one. */
export function createConflict(plant: NewPlant, random: Random): NewPlant {
  const name = random.pick(plantFieldNames);
  const text = plant[name];
  // An absent text and an empty one make different plants.
  if (!isRequired(name) && !text) return { ...plant, [name]: text === '' ? undefined : '' };
  return { ...plant, [name]: `${text} ${random.below(1_000)}` };
}

function createText(random: Random): string {
  if (random.next() < 0.001) return 'long '.repeat(random.below(20_000));
  return Array.from({ length: random.below(4) }, () => random.pick(words)).join(' ');
}
