import { createFakePlantStore } from '@plant-store/client/testing';
import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { renderView } from '../../test/render-view.js';
import { useRoute } from '../route.js';
import { narrowScreen } from '../shared/use-media.js';
import { useColumns } from './columns.js';
import { Toolbar } from './toolbar.js';

const tags = ['shade', 'shade', 'sun', undefined];
const plants = tags.map((tag, id) => ({ id, name: `plant ${id}`, ...(tag && { tag }) }));
const store = createFakePlantStore({ baseUrl: location.origin, plants });
const ignore = () => undefined;

function View() {
  const { filter } = useRoute();
  const columns = useColumns();
  const unused = {
    onSelecting: ignore,
    onDown: ignore,
    onPrint: ignore,
    onExport: ignore,
    onDeleteAll: ignore,
  };
  const known = {
    count: 4,
    isSearchedIdMissing: false,
    hasFewMatches: false,
    isSelecting: false,
    onMenu: undefined,
  };
  return <Toolbar filter={filter} columns={columns} {...known} {...unused} />;
}

beforeEach(() => {
  vi.stubGlobal('fetch', store.fetch);
  history.replaceState(null, '', '/');
});

it('sorts and filters by chips on a narrow screen, without columns or an add button', async () => {
  vi.stubGlobal('matchMedia', (query: string) =>
    Object.assign(new EventTarget(), { matches: query === narrowScreen }),
  );
  history.replaceState(null, '', '/?tag=shade');
  const user = renderView(<View />, store.token);
  await user.selectOptions(screen.getByRole('combobox', { name: 'Sort' }), 'Smallest ID first');
  expect(location.search).toBe('?tag=shade&order=id');
  await user.click(await screen.findByRole('button', { name: 'shade 2', pressed: true }));
  expect(location.search).toBe('?order=id');
  await user.click(screen.getByRole('button', { name: 'Untagged 1', pressed: false }));
  expect(location.search).toBe('?without=tag&order=id');
  await user.click(screen.getByRole('button', { name: 'sun 1', pressed: false }));
  expect(location.search).toBe('?tag=sun&order=id');
  expect(screen.queryByRole('link', { name: 'Add plant' })).toBeNull();
  expect(screen.queryByRole('button', { name: 'Columns' })).toBeNull();
});

it('reads an id in digits of any script, and leaves out the space after a suggested word', async () => {
  const user = renderView(<View />, store.token);
  const search = screen.getByRole('searchbox', { name: 'Search' });
  await user.type(search, '\u200f٤٢');
  expect(screen.getByRole('button', { name: 'Open plant 42' })).toBeDefined();
  await user.clear(search);
  await user.type(search, 'Rosa ');
  await waitFor(() => expect(location.search).toBe('?q=Rosa'));
  // It is still there for the next word.
  await user.type(search, 'alba');
  await waitFor(() => expect(location.search).toBe('?q=Rosa+alba'));
});
