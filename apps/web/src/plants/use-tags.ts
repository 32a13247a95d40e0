import { foldText, hasText } from '@plant-store/contract/fold-text';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { loadPart } from '../shared/load-boundary.js';
import { usePlantStore } from '../shared/plant-store.js';
import { loadedTags } from './use-plants.js';

/** How long the tags count as known, in milliseconds: to count them reads all plants. */
const knownMs = 60_000;

/** The tags of the store, those with the most plants first; those of the plants that are loaded until they are counted. */
export function useTags(isNeeded: boolean): readonly string[] {
  const { client } = usePlantStore();
  const queryClient = useQueryClient();
  const { data } = useQuery({
    queryKey: ['plant-store', 'countTags'],
    queryFn: async ({ signal }) => {
      const { countTags } = await loadPart(() => import('@plant-store/client/list'));
      return [...(await countTags(client, { signal })).keys()];
    },
    enabled: isNeeded,
    staleTime: knownMs,
    networkMode: 'always',
    retry: false,
  });
  // More may be loaded by the time they are needed.
  return useMemo(() => data ?? loadedTags(queryClient), [data, queryClient, isNeeded]);
}

/**
 * The tag that a text means: the same in upper or lower case, or else the first that begins with it, or else the first that
 * has it. The text itself where none does.
 *
 * @param tags those with the most plants first
 */
export function findTag(tags: readonly string[], text: string): string {
  const folded = foldText(text.trim());
  const found =
    tags.find((tag) => tag === text) ??
    tags.find((tag) => foldText(tag) === folded) ??
    tags.find((tag) => foldText(tag).startsWith(folded)) ??
    tags.find((tag) => hasText(tag, folded));
  return found ?? text;
}
