import { unwrap } from '@plant-store/client';
import { createFakePlantStore } from '@plant-store/client/testing';
import { render } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { type PlantStore, PlantStoreProvider, usePlantStore } from './plant-store.js';

it('renews a token only once the service has rejected it', async () => {
  const store = createFakePlantStore({ baseUrl: location.origin });
  let isExpired = false;
  const sent: (string | null)[] = [];
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    const authorization = new Headers(init.headers).get('authorization');
    sent.push(authorization);
    if (isExpired && authorization === `Bearer ${store.token}`)
      return Response.json({ error: 40101, message: 'The access token has expired.' }, { status: 401 });
    return store.fetch(url, { ...init, headers: { authorization: `Bearer ${store.token}` } });
  });
  let found: PlantStore | undefined;
  function Find() {
    found = usePlantStore();
    return null;
  }
  const renewToken = vi.fn(async () => 'renewed');
  render(
    <PlantStoreProvider token={store.token} renewToken={renewToken} onTokenRejected={() => undefined}>
      <Find />
    </PlantStoreProvider>,
  );
  const list = async () => {
    if (found !== undefined) await unwrap(found.client.listPlants());
  };
  await Promise.all([list(), list()]);
  await list();
  expect(renewToken).not.toHaveBeenCalled();
  isExpired = true;
  await list();
  expect(renewToken).toHaveBeenCalledTimes(1);
  expect(sent.slice(-2)).toEqual([`Bearer ${store.token}`, 'Bearer renewed']);
});
