import { foldText } from '@plant-store/contract/fold-text';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Failure } from '../shared/explain-failure.js';
import { loadPart } from '../shared/load-boundary.js';
import { usePlantStore } from '../shared/plant-store.js';
import { countsKey, loadedTags, useFailure } from './use-plants.js';

/** How long counts stay valid, in milliseconds, unless the page receives a change. */
const knownMs = 60_000;

/** Tags with the number of their plants, as far as known. */
export type Tags = ReadonlyMap<string, number | undefined>;

/** How many plants there are. */
interface Counts {
  /** `undefined` if it is unknown or only estimated. */
  readonly total?: number | undefined;
  /** How many have no tag. */
  readonly untagged?: number | undefined;
  /** Tags with the most plants first; until they are counted, the tags of loaded plants. */
  readonly tags: Tags;
  readonly isCounted: boolean;
  /** Why they are not counted, or not again. */
  readonly failure: Failure | undefined;
}

/** Counts the plants of the store, in all and by tag. */
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
    staleTime: knownMs,
    networkMode: 'always',
    retry: false,
  });
  const { data } = query;
  const failure = useFailure(query);
  // More plants may be loaded when they are needed.
  const counts = useMemo(
    () =>
      data === undefined
        ? { tags: new Map(loadedTags(queryClient).map((tag) => [tag, undefined])), isCounted: false }
        : { ...data, isCounted: true },
    [data, queryClient, isNeeded],
  );
  return { ...counts, failure };
}

/** The tags that equal a text, ignoring case. */
export function sameTags(tags: Tags, text: string): string[] {
  const folded = foldText(text.trim());
  return [...tags.keys()].filter((tag) => foldText(tag) === folded);
}
