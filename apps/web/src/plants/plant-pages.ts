import { foldText, hasText } from '@plant-store/contract/fold-text';
import type { Plant, PlantPage, StoredPlant } from '@plant-store/contract/operations';
import { resources } from '@plant-store/contract/resources';
import { partsOfOrder, sortKeyOf } from '@plant-store/records/order';
import type { InfiniteData } from '@tanstack/react-query';
import type { ListOrder, PlantFilter } from '../route.js';
import { textNames } from '../shared/fields.js';

const { fields } = resources.plant;
const searches = textNames.filter((name) => fields[name]?.search);
const filters = textNames.filter(
  (name): name is keyof Plant & keyof PlantFilter => fields[name]?.filter === true,
);

/** The pages of a list that have been loaded. */
export type PlantPages = InfiniteData<PlantPage, string | undefined>;

/** Plants by their position over all pages, without a copy of them. */
export interface PlantRows {
  readonly count: number;
  at(index: number): StoredPlant | undefined;
  /** The position of a plant; -1 if it is not loaded. */
  indexOf(id: bigint): number;
}

/** The rows of pages, which may be short or empty. */
export function toRows(pages: readonly PlantPage[]): PlantRows {
  const ends: number[] = [];
  let count = 0;
  for (const { plants } of pages) {
    count += plants.length;
    ends.push(count);
  }
  return {
    count,
    at(index) {
      const page = firstAfter(ends, index);
      const start = ends[page - 1] ?? 0;
      return pages[page]?.plants[index - start];
    },
    indexOf(id) {
      let start = 0;
      for (const { plants } of pages) {
        const index = plants.findIndex((plant) => plant.id === id);
        if (index !== -1) return start + index;
        start += plants.length;
      }
      return -1;
    },
  };
}

/** The first position in an ascending list whose value is greater. */
function firstAfter(ends: readonly number[], value: number): number {
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle] ?? 0) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Puts a plant that is not among the rows before them. */
export function withFirst(plant: StoredPlant, rows: PlantRows): PlantRows {
  return {
    count: rows.count + 1,
    at: (index) => (index === 0 ? plant : rows.at(index - 1)),
    indexOf: (id) => (id === plant.id ? 0 : rows.indexOf(id) + 1 || -1),
  };
}

/** Removes plants from the pages. */
export function withoutPlants(data: PlantPages, ids: ReadonlySet<bigint>): PlantPages {
  return withPages(
    data,
    data.pages.map((page) =>
      page.plants.some(({ id }) => ids.has(id))
        ? { ...page, plants: page.plants.filter(({ id }) => !ids.has(id)) }
        : page,
    ),
  );
}

/** Replaces the pages with others that have more or fewer plants, and adjusts the totals. */
function withPages(data: PlantPages, pages: PlantPage[]): PlantPages {
  const added = toRows(pages).count - toRows(data.pages).count;
  return {
    ...data,
    pages: pages.map((page) => (page.total === undefined ? page : { ...page, total: page.total + added })),
  };
}

/** How many plants the list has, including plants that are not loaded; `undefined` if the service has not returned it. */
export function totalOf(
  pages: readonly PlantPage[],
): Pick<PlantPage, 'total' | 'totalIsEstimate'> | undefined {
  const { total, totalIsEstimate } = pages.at(-1) ?? {};
  return total === undefined ? undefined : { total, totalIsEstimate };
}

/** Puts plants back in their places, unless these are not loaded yet. */
export function withPlants(
  data: PlantPages,
  plants: readonly StoredPlant[],
  sortedBy: ListOrder,
): PlantPages {
  const added = Map.groupBy(plants, (plant) =>
    data.pages.findIndex(({ plants: others, next }) => {
      const last = others.at(-1);
      return next === undefined || (last !== undefined && compare(plant, last, sortedBy) < 0);
    }),
  );
  return withPages(
    data,
    data.pages.map((page, position) => {
      const ofPage = added.get(position);
      if (ofPage === undefined) return page;
      const plants = [...page.plants, ...ofPage].sort((one, other) => compare(one, other, sortedBy));
      return { ...page, plants };
    }),
  );
}

/**
 * Compares plants as the lists of the API do: by id, by time or by name, then by id in the same direction. Those without a time are the
 * oldest.
 */
function compare(one: StoredPlant, other: StoredPlant, sortedBy: ListOrder): number {
  const { by, isDescending } = partsOfOrder(sortedBy);
  const keyOf = ({ name, addedAt = '' }: StoredPlant) => {
    if (by === 'id') return '';
    return by === 'time' ? addedAt : sortKeyOf(name);
  };
  const ascending =
    compareTexts(keyOf(one), keyOf(other)) || (one.id < other.id ? -1 : Number(one.id > other.id));
  return isDescending ? -ascending : ascending;
}

/** By code points, as bytes of UTF-8 are sorted; `<` compares UTF-16. */
function compareTexts(one: string, other: string): number {
  const [left, right] = [[...one], [...other]];
  const at = left.findIndex((character, index) => character !== right[index]);
  if (at === -1) return left.length - right.length;
  return (left[at]?.codePointAt(0) ?? -1) - (right[at]?.codePointAt(0) ?? -1);
}

/** Whether a list with a filter has a plant. */
export function matches(plant: StoredPlant, filter: PlantFilter): boolean {
  const searched = foldText(filter.q ?? '');
  return matchesFields(plant, filter) && searches.some((name) => hasText(plant[name] ?? '', searched));
}

/** Whether a plant matches the fields of a filter, regardless of its search text. */
export function matchesFields(plant: StoredPlant, filter: PlantFilter): boolean {
  return filters.every(
    (name) =>
      (filter[name] === undefined || plant[name] === filter[name]) &&
      (filter.without !== name || plant[name] === undefined),
  );
}
