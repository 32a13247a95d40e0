import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ReactNode } from 'react';
import { vi } from 'vitest';
import { UndoProvider } from '../src/plants/undo-provider.js';
import { queryOptions } from '../src/query-options.js';
import { PlantStoreProvider } from '../src/shared/plant-store.js';

/** Called when the service rejects the token of a view, with that and the reason. */
export const onTokenRejected = vi.fn<(token: string, message: string) => void>();

/** Shows a view with an empty cache, in place of one that is shown: as in main.tsx effects run twice. Returns who uses it. */
export function renderView(view: ReactNode, token = 'a') {
  cleanup();
  onTokenRejected.mockClear();
  render(
    <QueryClientProvider client={new QueryClient(queryOptions)}>
      <PlantStoreProvider token={token} onTokenRejected={onTokenRejected}>
        <UndoProvider>{view}</UndoProvider>
      </PlantStoreProvider>
    </QueryClientProvider>,
    { reactStrictMode: true },
  );
  return userEvent.setup();
}

/** The text that describes a field: a hint, or what is wrong. */
export const describes = (input: HTMLElement) =>
  document.getElementById(input.getAttribute('aria-describedby') ?? '')?.textContent;
