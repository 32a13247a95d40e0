import { type Client, followChanges, isRejectedError, type ResponseEvent } from '@plant-store/client';
import type { QueryClient } from '@tanstack/react-query';
import type { PlantFilter } from '../route.js';
import { queryKeys } from '../shared/plant-store.js';
import { addToLists, refreshLists, removeFromLists, resetLists } from './use-plants.js';

/** The maximum number of changes that are shown one by one. After more, as after an import, the list is loaded again. */
const maxSingleChanges = 100;

/** Without a reply for this long, the page no longer counts as following changes. Each request waits up to 25 seconds. */
const followingTimeoutMs = 60_000;

/** The error number of `cursor_expired`. */
const cursorExpired = 40011;

interface ShowChangesOptions {
  readonly queryClient: QueryClient;
  readonly client: Pick<Client, 'listChanges'>;
  readonly signal: AbortSignal;
  /** Returns the filter of the list that is shown. */
  filterOf(): PlantFilter;
  /** Called with whether the page receives changes. `false`, for example, if a proxy aborts long requests. */
  onFollowing(isFollowing: boolean): void;
}

/**
 * Follows changes by others until the signal is aborted. Shows them in the list and in the open plant, and notices when the service becomes
 * unavailable.
 *
 * @throws the error that ends this, for example because the token does not permit reading, or the database does not support changes
 */
export async function showChanges({
  queryClient,
  client,
  signal,
  filterOf,
  onFollowing,
}: ShowChangesOptions): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  // `true`, because the list reports a failed first read.
  let wasUnavailable = true;
  /** Whether a backup was restored since the list was read. */
  let isRestored = false;
  const onResponse = ({ response }: ResponseEvent) => {
    const isUnavailable = response === undefined || response.status >= 500;
    if (isUnavailable && !wasUnavailable) refreshLists(queryClient);
    wasUnavailable = isUnavailable;
    if (response?.status !== 200) return;
    clearTimeout(timer);
    timer = setTimeout(() => onFollowing(false), followingTimeoutMs);
    onFollowing(true);
    if (!isRestored) return;
    isRestored = false;
    // Only after following has started, so that no change is missed.
    resetLists(queryClient);
    void queryClient.invalidateQueries({ queryKey: queryKeys.getPlant.queryKey() });
  };
  async function follow(): Promise<void> {
    for await (const { changes } of followChanges(client, { signal, onResponse })) {
      if (changes.length > maxSingleChanges) resetLists(queryClient);
      for (const { id, plant } of changes.length > maxSingleChanges ? [] : changes) {
        const queryKey = queryKeys.getPlant.queryKey({ params: { id } });
        if (plant === undefined) {
          removeFromLists(queryClient, new Set([id]));
          void queryClient.invalidateQueries({
            queryKey,
            predicate: ({ state }) => state.data !== undefined,
          });
        } else {
          addToLists(queryClient, [plant], filterOf());
          // Also updates a plant that was requested before it existed.
          if (queryClient.getQueryState(queryKey) !== undefined) queryClient.setQueryData(queryKey, plant);
        }
      }
    }
  }
  window.addEventListener('offline', () => refreshLists(queryClient), { signal });
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
