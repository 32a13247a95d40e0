import type { QueryClientConfig } from '@tanstack/react-query';

/**
 * The client of the service retries by itself, and reports a network that is away; TanStack Query would wait for it
 * without a word. Nothing of a mutation is kept once it has ended.
 */
export const queryOptions = {
  defaultOptions: { mutations: { retry: false, networkMode: 'always', gcTime: 0 } },
} satisfies QueryClientConfig;
