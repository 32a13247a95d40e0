import type { QueryClientConfig } from '@tanstack/react-query';

/**
 * Turns off TanStack Query's retries, because the service client retries. Also turns off its wait for the network, because the page reports
 * when the network is down. Mutations are not cached.
 */
export const queryOptions = {
  defaultOptions: { mutations: { retry: false, networkMode: 'always', gcTime: 0 } },
} satisfies QueryClientConfig;
