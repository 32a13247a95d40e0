import type { Client } from '@plant-store/client';
import { followChanges } from '@plant-store/client/follow';
import type { QueryClient } from '@tanstack/react-query';
import type { PlantFilter } from '../route.js';
import { forgetLists, putIn, takeOut } from './use-plants.js';

/** How many changes are shown one by one; for more, such as of an import, the list loads again. */
const maxShown = 100;

/**
 * Shows in the list and in the plant that is open what others change meanwhile, until the signal is aborted.
 *
 * @param filterOf returns the filter of the list that is shown
 * @throws whatever following ends with, such as where the token does not permit to read
 */
export async function showChanges(
  queryClient: QueryClient,
  client: Pick<Client, 'listChanges'>,
  filterOf: () => PlantFilter,
  signal: AbortSignal,
): Promise<void> {
  for await (const { changes } of followChanges(client, { signal })) {
    if (changes.length > maxShown) forgetLists(queryClient);
    for (const { id, plant } of changes.length > maxShown ? [] : changes) {
      takeOut(queryClient, id);
      if (plant === undefined) continue;
      putIn(queryClient, plant, filterOf());
      const key = ['plant-store', 'getPlant', { params: { id: `${id}` } }];
      queryClient.setQueryData(key, (loaded: object | undefined) => loaded && plant);
    }
  }
}
