import { hash } from 'node:crypto';
import { fieldsetOf } from '@plant-store/contract/columns';
import type { NewPlant, Plant } from '@plant-store/contract/operations';
import { resources } from '@plant-store/contract/resources';

export const {
  names: fieldNames,
  pick: pickFields,
  isSame: hasSameFields,
} = fieldsetOf<Plant>(resources.plant);

export function isRequired(name: keyof Plant): boolean {
  return resources.plant.fields[name]?.required === true;
}

/** The fields that a plant must have. */
export const requiredNames = fieldNames.filter(isRequired);

/** All that the row of a deleted plant may have. */
export const withoutTexts = Object.fromEntries(
  requiredNames.map((name) => [name, '']),
) as Partial<Plant> as Plant;

/** A plant in JSON. The id is written by hand: a number of JavaScript would round it. */
export function toJson(plant: NewPlant): string {
  return `{"id":${plant.id},${JSON.stringify(pickFields(plant)).slice(1)}`;
}

/** A plant for a message, shortened. */
export function describePlant(plant: NewPlant): string {
  const text = JSON.stringify(pickFields(plant));
  return `plant ${plant.id} ${text.length > 100 ? `${text.slice(0, 100)}…` : text}`;
}

/** Parses a JSON object, with every digit of an id; what is none is an empty one. */
export function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = (JSON.parse as Parse)(text, (name, value, context) =>
      name === 'id' && typeof value === 'number' ? BigInt(context.source) : value,
    );
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** `JSON.parse` as Node.js has it: with the source text of each value, which has all digits of an id. */
type Parse = (
  text: string,
  reviver: (name: string, value: unknown, context: { readonly source: string }) => unknown,
) => unknown;

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

/** Creates a source of pseudorandom numbers: the hashes of the seed with the place of each number. */
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

/** Ids at which a number of JavaScript, an int32 or an int64 ends, and their neighbours. */
const remarkableIds = [2n ** 31n, 2n ** 53n, 2n ** 63n - 1n, -(2n ** 53n), -(2n ** 63n) + 1n, 0n].flatMap(
  (id) => [BigInt.asIntN(64, id - 1n), id, BigInt.asIntN(64, id + 1n)],
);

const words = [
  ...['Fern', 'Monstera deliciosa', "Bird's nest", 'Ácer 日本', '🌵'],
  ...['a\\b"c', ' ', '\u{10FFFF}', "'); --"],
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
    return BigInt.asIntN(64, (BigInt(random.below(2 ** 32)) << 32n) | BigInt(random.below(2 ** 32)));
  }
  return () => {
    let id = createId();
    while (used.has(id)) id = createId();
    used.add(id);
    const texts = fieldNames.map((name) => [
      name,
      !isRequired(name) && random.next() < 0.4 ? undefined : createText(random),
    ]);
    return { id, ...(Object.fromEntries(texts) as Plant) };
  };
}

function createText(random: Random): string {
  if (random.next() < 0.001) return 'long '.repeat(random.below(20_000));
  return Array.from({ length: random.below(4) }, () => random.pick(words)).join(' ');
}

/** Another plant under the id of one. */
export function createConflict(plant: NewPlant, random: Random): NewPlant {
  const name = random.pick(fieldNames);
  const text = plant[name];
  // An absent text and an empty one make different plants.
  if (!isRequired(name) && !text) return { ...plant, [name]: text === '' ? undefined : '' };
  return { ...plant, [name]: `${text} ${random.below(1_000)}` };
}
