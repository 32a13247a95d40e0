import { createClient, isRejectedError } from '@plant-store/client';
import { createTanstackQueryUtils } from '@plant-store/client/tanstack-query';

/** The operations of the service, as options for TanStack Query. Vite's proxy replaces the token. */
export const plantStore = createTanstackQueryUtils(createClient({ baseUrl: '/api', token: 'of-the-proxy' }));

/** The lists of plants, which are out of date once one was added or deleted. */
export const plantLists = { queryKey: plantStore.listPlants.queryKey() };

/** Whether the same request may succeed later: there is no service, or it cannot answer at the moment. */
export function isAway(error: Error): boolean {
  return !isRejectedError(error) || error.status >= 500;
}

/** Describes why a request failed; why a plant is rejected is in the words of the service. */
export function explain(error: Error): string {
  return isAway(error) ? 'The plant store is not responding right now.' : error.message;
}
