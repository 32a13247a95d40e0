import { createFakePlantStore } from '@plant-store/client/testing';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { renderView } from '../../test/render-view.js';
import { useRoute } from '../route.js';
import { narrowScreen } from '../shared/use-media.js';
import { Toolbar } from './toolbar.js';

function View() {
  const { filter } = useRoute();
  return <Toolbar filter={filter} isMissing={false} areFew={false} onPrint={() => undefined} />;
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
  await user.selectOptions(sheet.getByLabelText('Order'), 'Smallest id first');
  expect(sheet.getByRole('button', { name: 'CSV (for spreadsheets)' })).toBeDefined();
  expect(location.search).toBe('?tag=shade&order=id');
  await user.click(sheet.getByRole('button', { name: 'Close' }));
  expect(screen.queryByRole('dialog')).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Tag is “shade” : remove this filter' }));
  await waitFor(() => expect(location.search).toBe('?order=id'));
  await user.click(screen.getByRole('button', { name: 'Filters' }));
  await user.click(sheet.getByRole('button', { name: 'Untagged' }));
  await user.click(sheet.getByRole('button', { name: 'Close' }));
  await user.click(screen.getByRole('button', { name: 'Untagged : remove this filter' }));
  await waitFor(() => expect(location.search).toBe('?order=id'));
});

it('reads an id in digits of any script, and leaves out the space after a suggested word', async () => {
  const store = createFakePlantStore({ baseUrl: location.origin });
  vi.stubGlobal('fetch', store.fetch);
  history.replaceState(null, '', '/');
  const user = renderView(<View />, store.token);
  const search = screen.getByRole('searchbox', { name: 'Search' });
  await user.type(search, '\u200f٤٢');
  expect(screen.getByRole('button', { name: 'Open the plant with the id 42' })).toBeDefined();
  await user.clear(search);
  await user.type(search, 'Rosa ');
  await waitFor(() => expect(location.search).toBe('?q=Rosa'));
  // It is still there for the next word.
  await user.type(search, 'alba');
  await waitFor(() => expect(location.search).toBe('?q=Rosa+alba'));
});

it('filters by no tag while an input method composes it', () => {
  const store = createFakePlantStore({ baseUrl: location.origin });
  vi.stubGlobal('fetch', store.fetch);
  history.replaceState(null, '', '/');
  renderView(<View />, store.token);
  const tag = screen.getByRole('combobox', { name: 'Tag' });
  fireEvent.focus(tag);
  fireEvent.change(tag, { target: { value: 'むろ' } });
  fireEvent.keyDown(tag, { key: 'Enter', isComposing: true });
  fireEvent.keyDown(tag, { key: 'Enter', keyCode: 229 });
  expect(location.search).toBe('');
  fireEvent.keyDown(tag, { key: 'Enter', keyCode: 13 });
  expect(new URLSearchParams(location.search).get('tag')).toBe('むろ');
});
