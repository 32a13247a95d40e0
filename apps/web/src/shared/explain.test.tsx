import { render } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { explain } from './explain.js';
import { type PlantStore, PlantStoreProvider, usePlantStore } from './plant-store.js';

it('has the text for a failure as soon as a call fails', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('fetch failed')));
  let found: PlantStore | undefined;
  function Find() {
    found = usePlantStore();
    return null;
  }
  render(
    <PlantStoreProvider token="a" onTokenRejected={() => undefined}>
      <Find />
    </PlantStoreProvider>,
  );
  const explained = await found?.client
    .listPlants({ retries: 0 })
    .catch((error: unknown) => explain(error, 'read').message);
  expect(explained).toBe('The connection to the server failed.');
});
