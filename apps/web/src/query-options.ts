import type { QueryClientConfig } from '@tanstack/react-query';

/**
 * Turns off the retries of TanStack Query, because the client of the service retries, and its waiting for the network, because the page
 * reports when the network is down. Mutations are not cached.
 */
export const queryOptions = {
  defaultOptions: { mutations: { retry: false, networkMode: 'always', gcTime: 0 } },
} satisfies QueryClientConfig;
