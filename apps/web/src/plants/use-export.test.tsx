import { createFakePlantStore } from '@plant-store/client/testing';
import { screen, waitFor } from '@testing-library/react';
import { unzipSync } from 'fflate';
import { expect, it } from 'vitest';
import { catchSaved } from '../../test/open-import.js';
import { openPlants, serve } from '../../test/open-page.js';
import { file, read } from '../import/worker/testing/read.js';

/** Shows the plants with the tag bed, two of three, and starts to export them. */
async function start(item: string, answer: () => Promise<Response | undefined> = async () => undefined) {
  const tags = ['bed', 'bed', 'pot'];
  const plants = tags.map((tag, id) => ({ id, name: `plant ${id}`, tag }));
  const store = createFakePlantStore({ baseUrl: location.origin, plants });
  history.replaceState(null, '', '/?tag=bed');
  let isExporting = false;
  serve(store, (url) => (isExporting && url.includes('tag=bed') ? answer() : undefined));
  const saved = catchSaved();
  const user = openPlants(store);
  await screen.findByText('2 plants found');
  isExporting = true;
  await user.click(screen.getByRole('button', { name: 'More' }));
  await user.click(screen.getByRole('button', { name: item }));
  return { user, saved };
}

const isShown = () => document.querySelector<HTMLElement>('.toast')?.hidden === false;

it.each([
  ['Export as CSV', /^id,name,tag,addedAt\r\n1,plant 1,bed,[^\r]+\r\n0,plant 0,bed,[^\r]+\r\n$/],
  ['Export as NDJSON', /^\{"id":1,[^\n]+\}\n\{"id":0,[^\n]+\}\n$/],
])('saves all plants of the list: %s', async (item, expected) => {
  const { user, saved } = await start(item);
  await screen.findByText('2 exported.');
  expect(await saved.readLast()).toMatch(expected);
  await user.click(screen.getByRole('button', { name: 'Dismiss' }));
  expect(isShown()).toBe(false);
});

it('saves all plants of the list to Excel', async () => {
  const { saved } = await start('Export to Excel');
  await screen.findByText('2 exported.');
  const bytes = new Uint8Array((await saved.files.at(-1)?.arrayBuffer()) ?? []);
  expect(Object.keys(unzipSync(bytes))).toContain('xl/worksheets/sheet1.xml');
  const { plants } = await read(file('plants.xlsx', bytes));
  expect(Object.values(plants).map((plant) => `${plant?.name} ${plant?.tag}`)).toEqual([
    'plant 1 bed',
    'plant 0 bed',
  ]);
});

it('says why nothing was saved', async () => {
  const message = 'Not permitted.';
  const { saved } = await start('Export as CSV', async () =>
    Response.json({ error: 40300, message }, { status: 403 }),
  );
  await screen.findByText('The export failed; nothing was saved. Not permitted.');
  expect(saved.files).toEqual([]);
});

it('saves nothing after Cancel', async () => {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const { user, saved } = await start('Export as CSV', () => promise);
  await screen.findByText('0 exported so far…');
  await user.click(screen.getByRole('button', { name: 'Cancel' }));
  resolve(undefined);
  await waitFor(() => expect(isShown()).toBe(false));
  expect(saved.files).toEqual([]);
});
