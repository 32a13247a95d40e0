import type { QueryClientConfig } from '@tanstack/react-query';

/**
 * The client of the service retries automatically, and reports when the network is down; TanStack Query would silently wait for it.
 * Mutations are not cached after they end.
 */
export const queryOptions = {
  defaultOptions: { mutations: { retry: false, networkMode: 'always', gcTime: 0 } },
} satisfies QueryClientConfig;
