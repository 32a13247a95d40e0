import { type Client, followChanges, isRejectedError, type ResponseEvent } from '@plant-store/client';
import type { QueryClient } from '@tanstack/react-query';
import type { PlantFilter } from '../route.js';
import { queryKeys } from '../shared/plant-store.js';
import { checkLists, forgetLists, putIn, takeOut } from './use-plants.js';

/** The maximum number of changes that are shown one by one. For more, as after an import, the list loads again. */
const maxShown = 100;

/** How long after a reply the page counts as following changes, in milliseconds. A request waits for 25 seconds. */
const heardMs = 60_000;

/** The number of the error `cursor_expired`. */
const cursorExpired = 40011;

interface ShowChangesOptions {
  readonly queryClient: QueryClient;
  readonly client: Pick<Client, 'listChanges'>;
  readonly signal: AbortSignal;
  /** Returns the filter of the list that is shown. */
  filterOf(): PlantFilter;
  /** Called with whether the page receives changes. It does not, for example, if a proxy cuts off long requests. */
  onFollowing(isFollowing: boolean): void;
}

/**
 * Shows changes of others in the list and in the open plant, and whether the service is unavailable, until the signal is aborted.
 *
 * @throws the error that ends following, for example if the token may not read, or the database does not support changes
 */
export async function showChanges({
  queryClient,
  client,
  signal,
  filterOf,
  onFollowing,
}: ShowChangesOptions): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  // The list itself reports a failed first read.
  let wasAway = true;
  /** Whether a backup was restored since the list was read. */
  let isRestored = false;
  const onResponse = ({ response }: ResponseEvent) => {
    const isAway = response === undefined || response.status >= 500;
    if (isAway && !wasAway) checkLists(queryClient);
    wasAway = isAway;
    if (response?.status !== 200) return;
    clearTimeout(timer);
    timer = setTimeout(() => onFollowing(false), heardMs);
    onFollowing(true);
    if (!isRestored) return;
    isRestored = false;
    // Only after following has started, so that no change is missed.
    forgetLists(queryClient);
    void queryClient.invalidateQueries({ queryKey: queryKeys.getPlant.queryKey() });
  };
  async function follow(): Promise<void> {
    for await (const { changes } of followChanges(client, { signal, onResponse })) {
      if (changes.length > maxShown) forgetLists(queryClient);
      for (const { id, plant } of changes.length > maxShown ? [] : changes) {
        const queryKey = queryKeys.getPlant.queryKey({ params: { id } });
        if (plant === undefined) {
          takeOut(queryClient, new Set([id]));
          void queryClient.invalidateQueries({
            queryKey,
            predicate: ({ state }) => state.data !== undefined,
          });
        } else {
          putIn(queryClient, [plant], filterOf());
          // Also if it was requested before it existed.
          if (queryClient.getQueryState(queryKey) !== undefined) queryClient.setQueryData(queryKey, plant);
        }
      }
    }
  }
  window.addEventListener('offline', () => checkLists(queryClient), { signal });
  try {
    for (;;) {
      await follow().catch((error: unknown) => {
        isRestored = isRejectedError(error, cursorExpired);
        if (!isRestored) throw error;
      });
    }
  } finally {
    clearTimeout(timer);
    if (!signal.aborted) onFollowing(false);
  }
}
