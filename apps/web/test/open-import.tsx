import { createFakePlantStore } from '@plant-store/client/testing';
import { scopes } from '@plant-store/contract/access-token';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import type { ReactNode } from 'react';
import { vi } from 'vitest';
import { ImportPlants } from '../src/import/import-plants.js';
import type { Request } from '../src/import/protocol.js';
import { ImportSession } from '../src/import/session/import-session.js';
import type { WorkerListener } from '../src/import/session/spawn-worker.js';
import { ImportWorker } from '../src/import/worker/import-worker.js';
import { UndoProvider } from '../src/plants/undo-provider.js';
import { PlantStoreProvider, queryKeys } from '../src/shared/plant-store.js';

/**
 * Shows the import.
 *
 * @param startWorker returns what gets the commands; its reports go to the listener that was started last
 * @param children what is shown beside it
 */
export function openImport(
  startWorker: (started: WorkerListener) => (sent: Request) => void,
  token = 'a',
  children?: ReactNode,
) {
  const onTokenRejected = vi.fn<(token: string, message: string) => void>();
  let listener: WorkerListener | undefined;
  const session = new ImportSession((started) => {
    listener = started;
    return { send: startWorker(started), end: () => undefined };
  });
  const queryClient = new QueryClient();
  // As if it had been asked what the token permits.
  queryClient.setQueryData(queryKeys.getOwnToken.queryKey(), { scopes: [...scopes] });
  const view = (used: string | undefined) =>
    used !== undefined && (
      <QueryClientProvider client={queryClient}>
        <PlantStoreProvider token={used} onTokenRejected={onTokenRejected}>
          <UndoProvider>
            <ImportPlants session={session} />
            {children}
          </UndoProvider>
        </PlantStoreProvider>
      </QueryClientProvider>
    );
  const { rerender } = render(view(token));
  /** Goes on with another token; `undefined` forgets it. */
  const useToken = (next: string | undefined) => rerender(view(next));
  return { onTokenRejected, useToken, listener: () => listener };
}

/** Shows the import, whose worker runs in this thread and sends to a fake plant store. */
export function openImportWithStore(children?: ReactNode) {
  const store = createFakePlantStore({ baseUrl: location.origin });
  const fetch = vi.fn(store.fetch);
  const opened = openImport(
    ({ onReport }) => {
      const worker = new ImportWorker(onReport, { fetch, retries: 0 });
      return (request) => void worker.handle(request);
    },
    store.token,
    children,
  );
  return { ...opened, store, fetch };
}

/** Chooses a file; of a text `plants.csv`. */
export const choose = (content: BlobPart, name = 'plants.csv') =>
  userEvent.upload(screen.getByLabelText('File with plants'), new File([content], name));
export const button = (name: string | RegExp) => screen.findByRole('button', { name });
export const press = async (name: string | RegExp) => userEvent.click(await button(name));
export const heading = (name: string | RegExp) => screen.findByRole('heading', { name, level: 1 });
/** Presses a button, and waits for the title of what follows. */
export async function pressUntil(name: string | RegExp, title: string | RegExp) {
  await press(name);
  return heading(title);
}
/** Goes on to the review of what was chosen, with the columns that were recognized, where the page asks for them. */
export async function reviewLines() {
  const { textContent } = await heading(/^(Check the columns|Review)/);
  if (textContent === 'Check the columns') await press('Review lines');
  await heading(/^Review/);
}
/** The count of a group of lines, by its title. */
export const total = (title: string) =>
  screen
    .queryByRole('button', { name: new RegExp(`^${title} [\\d,]+$`) })
    ?.textContent?.replace(title, '')
    .trim();

/** What the page lets the browser save from now on. */
export function catchSaved() {
  const files: Blob[] = [];
  Object.assign(URL, { createObjectURL: (file: Blob) => `blob:${files.push(file)}`, revokeObjectURL() {} });
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockReturnValue();
  return { files, readLast: async () => new TextDecoder().decode(await files.at(-1)?.arrayBuffer()) };
}
