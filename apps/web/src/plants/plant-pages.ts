import { foldText, hasText } from '@plant-store/contract/fold-text';
import type { Plant, PlantPage, StoredPlant } from '@plant-store/contract/operations';
import { resources } from '@plant-store/contract/resources';
import type { InfiniteData } from '@tanstack/react-query';
import type { PlantFilter } from '../route.js';
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
  /** The position of a plant; -1 where it is not loaded. */
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

/** The rows after a plant that is none of them. */
export function withFirst(plant: StoredPlant, rows: PlantRows): PlantRows {
  return {
    count: rows.count + 1,
    at: (index) => (index === 0 ? plant : rows.at(index - 1)),
    indexOf: (id) => (id === plant.id ? 0 : rows.indexOf(id) + 1 || -1),
  };
}

/** Takes plants out of the pages. */
export function withoutPlants(data: PlantPages, ids: ReadonlySet<bigint>): PlantPages {
  return {
    ...data,
    pages: data.pages.map((page) =>
      page.plants.some(({ id }) => ids.has(id))
        ? { ...page, plants: page.plants.filter(({ id }) => !ids.has(id)) }
        : page,
    ),
  };
}

/** Puts plants back at their places; nothing where that is not loaded yet. */
export function withPlants(
  data: PlantPages,
  plants: readonly StoredPlant[],
  sortedBy: 'newest' | 'id',
): PlantPages {
  const added = Map.groupBy(plants, (plant) =>
    data.pages.findIndex(({ plants: others, next }) => {
      const last = others.at(-1);
      return next === undefined || (last !== undefined && comesBefore(plant, last, sortedBy));
    }),
  );
  return {
    ...data,
    pages: data.pages.map((page, position) => {
      const ofPage = added.get(position);
      if (ofPage === undefined) return page;
      const all = [...page.plants, ...ofPage].sort((one, other) =>
        comesBefore(one, other, sortedBy) ? -1 : 1,
      );
      return { ...page, plants: all };
    }),
  };
}

/** The orders of the API: by id; or the latest first, of one millisecond by descending id, those without a time last. */
function comesBefore(one: StoredPlant, other: StoredPlant, sortedBy: 'newest' | 'id'): boolean {
  if (sortedBy === 'id') return one.id < other.id;
  const [time = '', otherTime = ''] = [one.addedAt, other.addedAt];
  return time === otherTime ? one.id > other.id : time > otherTime;
}

/** Whether a list with a filter has a plant. */
export function matches(plant: StoredPlant, filter: PlantFilter): boolean {
  const searched = foldText(filter.q ?? '');
  return matchesFields(plant, filter) && searches.some((name) => hasText(plant[name] ?? '', searched));
}

/** Whether a plant has what a filter asks for, whatever is searched for. */
export function matchesFields(plant: StoredPlant, filter: PlantFilter): boolean {
  return filters.every((name) => filter[name] === undefined || plant[name] === filter[name]);
}
