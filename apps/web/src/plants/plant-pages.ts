import { foldText, hasText } from '@plant-store/contract/fold-text';
import type { Plant, PlantPage, StoredPlant } from '@plant-store/contract/operations';
import { resources } from '@plant-store/contract/resources';
import { partsOfOrder, sortKeyOf } from '@plant-store/records/order';
import type { InfiniteData } from '@tanstack/react-query';
import type { ListOrder, PlantFilter } from '../route.js';
import { textNames } from '../shared/fields.js';

const { fields } = resources.plant;
const searchedFields = textNames.filter((name) => fields[name]?.search);
const filterFields = textNames.filter(
  (name): name is keyof Plant & keyof PlantFilter => fields[name]?.filter === true,
);

/** The pages of a list that have been loaded. */
export type PlantPages = InfiniteData<PlantPage, string | undefined>;

/** Plants by their position across all pages, without copying them. */
export interface PlantRows {
  readonly count: number;
  at(index: number): StoredPlant | undefined;
  /** The position of a plant; -1 if it is not loaded. */
  indexOf(id: bigint): number;
}

/** Returns the rows of all pages. A page can be short or empty. */
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

/** Returns the first position in an ascending list whose value is greater, by binary search. */
function firstAfter(ends: readonly number[], value: number): number {
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle] ?? 0) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Returns the rows with a plant before the first one. The plant must not be among the rows. */
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

/** Replaces the pages, and adjusts their totals by the number of added or removed plants. */
function withPages(data: PlantPages, pages: PlantPage[]): PlantPages {
  const added = toRows(pages).count - toRows(data.pages).count;
  return {
    ...data,
    pages: pages.map((page) => (page.total === undefined ? page : { ...page, total: page.total + added })),
  };
}

/** Returns the number of plants in the list, including those that are not loaded. `undefined` if the service did not return it. */
export function totalOf(
  pages: readonly PlantPage[],
): Pick<PlantPage, 'total' | 'totalIsEstimate'> | undefined {
  const { total, totalIsEstimate } = pages.at(-1) ?? {};
  return total === undefined ? undefined : { total, totalIsEstimate };
}

/** Inserts plants in list order. Plants that belong to a page that is not loaded are left out. */
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
      const inserted = added.get(position);
      if (inserted === undefined) return page;
      const plants = [...page.plants, ...inserted].sort((one, other) => compare(one, other, sortedBy));
      return { ...page, plants };
    }),
  );
}

/** Compares plants as API lists do: by ID, time, or name, then by ID in the same direction. A plant without a time counts as the oldest. */
function compare(one: StoredPlant, other: StoredPlant, sortedBy: ListOrder): number {
  const { by, isDescending } = partsOfOrder(sortedBy);
  const keyOf = ({ name, addedAt = '' }: StoredPlant) => {
    if (by === 'id') return '';
    return by === 'time' ? addedAt : sortKeyOf(name);
  };
  const ascending =
    compareCodePoints(keyOf(one), keyOf(other)) || (one.id < other.id ? -1 : Number(one.id > other.id));
  return isDescending ? -ascending : ascending;
}

/** Compares texts by code points, as the service does. (`<` compares UTF-16 code units.) */
function compareCodePoints(one: string, other: string): number {
  const [left, right] = [[...one], [...other]];
  const index = left.findIndex((character, position) => character !== right[position]);
  if (index === -1) return left.length - right.length;
  return (left[index]?.codePointAt(0) ?? -1) - (right[index]?.codePointAt(0) ?? -1);
}

/** Whether a plant matches a filter. */
export function matches(plant: StoredPlant, filter: PlantFilter): boolean {
  const searched = foldText(filter.q ?? '');
  return matchesFields(plant, filter) && searchedFields.some((name) => hasText(plant[name] ?? '', searched));
}

/** Whether a plant matches a filter, regardless of the search text. */
export function matchesFields(plant: StoredPlant, filter: PlantFilter): boolean {
  return filterFields.every(
    (name) =>
      (filter[name] === undefined || plant[name] === filter[name]) &&
      (filter.without !== name || plant[name] === undefined),
  );
}
