import { createClient, type OperationName } from '@plant-store/client';
import type { FakePlantStore } from '@plant-store/client/testing';
import { cleanup, render } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { vi } from 'vitest';
import { App } from '../src/app.js';
import { Plants } from '../src/plants/plants.js';
import { useRoute } from '../src/route.js';
import { renderView } from './render-view.js';

/** A token in the format of the service. */
export const token = `pst_${'0'.repeat(42)}72YDVwp`;

type Answer = (url: string, request: string) => Promise<Response | undefined> | undefined;

/** Lets a store answer the requests of the page, unless `answer` does. Returns the requests, such as `GET /plants`. */
export function serve(store: FakePlantStore, answer: Answer = () => undefined): string[] {
  const sent: string[] = [];
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    const request = `${init.method} ${url.slice(location.origin.length)}`;
    sent.push(request);
    return (await answer(url, request)) ?? store.fetch(url, init);
  });
  return sent;
}

/** The reply to a request for changes where there is no change feed, so that the page learns about changes only from its own requests. */
export const noChanges = () => Response.json({ error: 50100, message: 'No.' }, { status: 501 });

function View() {
  return <Plants route={useRoute()} />;
}

/** Shows the list of the plants of a store. */
export const openPlants = (store: FakePlantStore) => renderView(<View />, store.token);

/** Opens the whole page; a second call reloads it. */
export function openApp(tokenFromAddress?: string) {
  cleanup();
  render(<App tokenFromAddress={tokenFromAddress} />);
  return userEvent.setup();
}

/** Replaces the fields of a plant, as another person does. */
export const editByOthers = (store: FakePlantStore, id: number, body: { name: string; tag?: string }) =>
  createClient(store).updatePlant({ params: { id }, headers: { 'if-match': '*' }, body });

/** Rejects the next request of an operation as not permitted. */
export const rejectNext = (store: FakePlantStore, operation: OperationName) =>
  store.fail({
    operation,
    kind: 'status',
    status: 403,
    body: JSON.stringify({ error: 40300, message: 'Not permitted.' }),
  });
