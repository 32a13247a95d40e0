import { foldText, hasText } from '@plant-store/contract/fold-text';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { loadPart } from '../shared/load-boundary.js';
import { queryKeys, usePlantStore } from '../shared/plant-store.js';
import { loadedTags } from './use-plants.js';

/** How long the tags count as known, in milliseconds: to count them reads all plants. */
const knownMs = 60_000;

/** Tags with the number of their plants, as far as it is known. */
export type Tags = ReadonlyMap<string, number | undefined>;

/** The tags of the store, those with the most plants first; those of the plants that are loaded until they are counted. */
export function useTags(isNeeded: boolean): Tags {
  const { client } = usePlantStore();
  const queryClient = useQueryClient();
  const { data } = useQuery({
    queryKey: [...queryKeys.listTags.queryKey(), 'all'],
    queryFn: async ({ signal }) => {
      const { countTags } = await loadPart(() => import('../shared/count-tags.js'));
      return countTags(client, { signal });
    },
    enabled: isNeeded,
    staleTime: knownMs,
    networkMode: 'always',
    retry: false,
  });
  // More may be loaded by the time they are needed.
  return useMemo(
    () => data ?? new Map(loadedTags(queryClient).map((tag) => [tag, undefined])),
    [data, queryClient, isNeeded],
  );
}

/**
 * The tag that a text means: the same in upper or lower case, or else the first that begins with it, or else the first that
 * has it. The text itself where none does.
 *
 * @param tags those with the most plants first
 */
export function findTag(tags: Tags, text: string): string {
  if (tags.has(text)) return text;
  const folded = foldText(text.trim());
  const [same] = sameTags(tags, text);
  const names = [...tags.keys()];
  return (
    same ??
    names.find((tag) => foldText(tag).startsWith(folded)) ??
    names.find((tag) => hasText(tag, folded)) ??
    text
  );
}

/** The tags that are a text but for upper and lower case. */
export function sameTags(tags: Tags, text: string): string[] {
  const folded = foldText(text.trim());
  return [...tags.keys()].filter((tag) => foldText(tag) === folded);
}
