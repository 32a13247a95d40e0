import { createFakePlantStore } from '@plant-store/client/testing';
import { screen, waitFor, within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { renderView } from '../../test/render-view.js';
import { useRoute } from '../route.js';
import { narrowScreen } from '../shared/use-media.js';
import { Toolbar } from './toolbar.js';

function View() {
  const { filter } = useRoute();
  return <Toolbar filter={filter} isMissing={false} areFew={false} />;
}

it('has the filters in a sheet on a narrow screen, and shows the tag that is filtered by beside it', async () => {
  const store = createFakePlantStore({ baseUrl: location.origin });
  vi.stubGlobal('fetch', store.fetch);
  vi.stubGlobal('matchMedia', (query: string) =>
    Object.assign(new EventTarget(), { matches: query === narrowScreen }),
  );
  history.replaceState(null, '', '/?tag=shade');
  const user = renderView(<View />, store.token);
  expect(screen.queryByRole('combobox', { name: 'Order' })).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Filters' }));
  const sheet = within(screen.getByRole('dialog', { name: 'Filters and export' }));
  await user.selectOptions(sheet.getByLabelText('Order'), 'By id');
  expect(sheet.getByRole('button', { name: 'CSV (for spreadsheets)' })).toBeDefined();
  expect(location.search).toBe('?tag=shade&order=id');
  await user.click(sheet.getByRole('button', { name: 'Close' }));
  expect(screen.queryByRole('dialog')).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Tag is “shade” : remove this filter' }));
  await waitFor(() => expect(location.search).toBe('?order=id'));
});
