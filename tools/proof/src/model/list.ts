import { hasSameFields, plantFilters, plantSearches } from '@plant-store/contract/fields';
import type { Plant, PlantQuery, StoredPlant } from '@plant-store/contract/operations';
import { parse } from 'lossless-json';
import { toJson } from '../plant.js';
import type { PlantModel, Stores } from './plant-model.js';
import type { Target } from './targets/target.js';

/** The query of a list. */
export type ListQuery = Omit<PlantQuery, 'after'> & {
  readonly limit: number;
  readonly order: 'id' | 'newest';
};

/** How many pages are read of a list, most of which have more. */
const maxPages = 5;

/** A plant as a list shows it. */
type Shown = StoredPlant & { readonly addedAt: string };

/**
 * Lists some pages on all plant stores. How many plants a page has is left to them, up to the limit.
 *
 * @throws {Error} if what one of them shows is not in order, is not all, or differs from the model
 */
export async function requireListed(
  model: PlantModel,
  { targets, counts }: Stores,
  query: ListQuery,
): Promise<void> {
  const expected = new Map([...model.plants].filter(([, plant]) => isMatch(plant, query)));
  for (const target of targets) {
    const { shown, isWhole, pages } = await readPages(target, query);
    counts.requests += pages;
    const known = shown.filter(({ id }) => !model.unknown.has(id));
    const fail = (problem: string) => {
      throw new Error(`${target.name}: ${problem} in a list of ${JSON.stringify(query)}`);
    };
    for (const [index, plant] of shown.entries()) {
      const before = shown[index - 1];
      if (before !== undefined && !isInOrder(before, plant, query))
        fail(`${plant.id} comes after ${before.id}`);
    }
    for (const listed of known) {
      const plant = expected.get(listed.id);
      if (plant === undefined || !hasSameFields(listed, plant))
        fail(`${toJson(listed)} is shown, expected ${JSON.stringify(plant)}`);
    }
    const last = shown.at(-1)?.id;
    // When each was stored the model does not know, so of the newest only the whole is compared.
    const due = [...expected.keys()].filter(
      (id) => isWhole || (query.order === 'id' && last !== undefined && id <= last),
    );
    if (due.length > known.length) fail(`${due.length - known.length} plants are missing`);
  }
}

async function readPages(target: Target, query: ListQuery) {
  const shown: Shown[] = [];
  let after: string | undefined;
  for (let pages = 1; ; pages++) {
    const parameters = Object.entries({ ...query, after }).flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
    );
    const path = `/plants?${parameters.join('&')}`;
    const { status, body } = await target.send({ method: 'GET', path }, 'main');
    if (status !== 200) throw new Error(`${target.name}: GET ${path} led to ${status} ${body}`);
    const page = parse(body, undefined, { parseNumber: BigInt }) as { plants: Shown[]; next?: string };
    if (page.plants.length > query.limit)
      throw new Error(`${target.name}: GET ${path} shows ${page.plants.length} plants`);
    shown.push(...page.plants);
    after = page.next;
    if (after === undefined || pages === maxPages) return { shown, isWhole: after === undefined, pages };
  }
}

function isInOrder(before: Shown, plant: Shown, { order }: ListQuery): boolean {
  if (order === 'id') return before.id < plant.id;
  return before.addedAt > plant.addedAt || (before.addedAt === plant.addedAt && before.id > plant.id);
}

function isMatch(plant: Plant, query: ListQuery): boolean {
  const { q = '' } = query;
  return (
    plantFilters.every((name) => query[name] === undefined || query[name] === plant[name]) &&
    plantSearches.some((name) => lowerAscii(plant[name] ?? '').includes(lowerAscii(q)))
  );
}

function lowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
