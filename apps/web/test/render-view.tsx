import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ReactNode } from 'react';
import { queryOptions } from '../src/query-options.js';

/** Shows a view with an empty cache, in place of one that is shown: as in main.tsx effects run twice. Returns who uses it. */
export function renderView(view: ReactNode) {
  cleanup();
  const client = new QueryClient(queryOptions);
  render(<QueryClientProvider client={client}>{view}</QueryClientProvider>, { reactStrictMode: true });
  return userEvent.setup();
}

/** The text that describes a field: a hint, or what is wrong. */
export const describes = (input: HTMLElement) =>
  document.getElementById(input.getAttribute('aria-describedby') ?? '')?.textContent;
