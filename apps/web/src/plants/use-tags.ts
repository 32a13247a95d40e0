import { foldText } from '@plant-store/contract/fold-text';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Failure } from '../shared/explain-failure.js';
import { loadPart } from '../shared/load-boundary.js';
import { usePlantStore } from '../shared/plant-store.js';
import { countsKey, loadedTags, useFailure } from './use-plants.js';

/** How long counts stay fresh, unless the page receives a change. */
const freshMs = 60_000;

/** The number of plants per tag; `undefined` if unknown. */
export type Tags = ReadonlyMap<string, number | undefined>;

/** Plant counts, in total and by tag. */
interface Counts {
  /** `undefined` if it is unknown or only estimated. */
  readonly total?: number | undefined;
  /** The number of plants without a tag. */
  readonly untagged?: number | undefined;
  /** The tags, most used first. Until the plants are counted, the tags of loaded plants. */
  readonly tags: Tags;
  readonly isCounted: boolean;
  /** Why the last count failed. */
  readonly failure: Failure | undefined;
}

/** Counts the plants of the store, in total and by tag. */
export function useCounts(isNeeded = true): Counts {
  const { client } = usePlantStore();
  const queryClient = useQueryClient();
  const query = useQuery({
    queryKey: countsKey,
    queryFn: async ({ signal }) => {
      const { countPlants } = await loadPart(() => import('./count-plants.js'));
      return countPlants(client, signal);
    },
    enabled: isNeeded,
    staleTime: freshMs,
    networkMode: 'always',
    retry: false,
  });
  const { data } = query;
  const failure = useFailure(query);
  // Depends on `isNeeded`, because more plants may be loaded when it changes.
  const counts = useMemo(
    () =>
      data === undefined
        ? { tags: new Map(loadedTags(queryClient).map((tag) => [tag, undefined])), isCounted: false }
        : { ...data, isCounted: true },
    [data, queryClient, isNeeded],
  );
  return { ...counts, failure };
}

/** Finds the tags that equal a text, ignoring case. */
export function findSameTags(tags: Tags, text: string): string[] {
  const folded = foldText(text.trim());
  return [...tags.keys()].filter((tag) => foldText(tag) === folded);
}
