import { createClient } from '@plant-store/client';
import { createFakePlantStore } from '@plant-store/client/testing';
import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { renderView } from '../../../test/render-view.js';
import { useRoute } from '../../route.js';
import { Plants } from '../plants.js';

let store: ReturnType<typeof createFakePlantStore>;
/** Resolves before each edit is sent, or with its reply. */
let beforePut: () => Promise<Response | undefined> | undefined;

/** Six plants in bed, two in shade, one without a tag. */
beforeEach(async () => {
  store = createFakePlantStore({ baseUrl: location.origin });
  const tags = ['bed', 'bed', 'bed', 'bed', 'bed', 'bed', 'shade', 'shade', undefined];
  const plants = tags.map((tag, at) => ({ id: at + 1, name: `plant ${at + 1}`, ...(tag && { tag }) }));
  await createClient(store).createPlants({ body: { plants } });
  beforePut = () => undefined;
  history.replaceState(null, '', '/');
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    const reply = init.method === 'PUT' ? await beforePut() : undefined;
    return reply ?? store.fetch(url, init);
  });
});

function View() {
  return <Plants route={useRoute()} />;
}

async function open() {
  const user = renderView(<View />, store.token);
  await screen.findByText('plant 9');
  await user.click(screen.getByRole('button', { name: 'Tags…' }));
  await screen.findByRole('dialog', { name: 'Tags' });
  await listed('bed');
  return user;
}
const sheet = () => within(screen.getByRole('dialog', { name: 'Tags' }));
const listed = (tag: string) =>
  sheet().findByRole('button', { name: new RegExp(`^${tag} ?: show its plants$`) });
const lines = () =>
  sheet()
    .getAllByRole('listitem')
    .map(({ textContent }) => /^(.*): show.*?(\d+)/.exec(textContent ?? '')?.slice(1));
const tags = () => [...store.plants.values()].map((plant) => plant?.tag);

/** Begins the rename of a tag. */
async function rename(from: string, to: string) {
  const user = await open();
  await user.click(sheet().getByRole('button', { name: new RegExp(`^Rename ?: ${from}$`) }));
  const field = await sheet().findByLabelText<HTMLInputElement>(`New name of “${from}”`);
  await waitFor(() => expect(document.activeElement).toBe(field));
  expect(field.value).toBe(from);
  await user.clear(field);
  if (to !== '') await user.paste(to);
  return user;
}

it('lists the tags with the number of their plants, and filters by one', async () => {
  const user = await open();
  expect(lines()).toEqual([
    ['bed', '6'],
    ['shade', '2'],
  ]);
  await user.click(await listed('shade'));
  expect(location.search).toBe('?tag=shade');
  await screen.findByText('2 plants found');
});

it('renames a tag by an edit of each of its plants, and shows it', async () => {
  const user = await rename('bed', 'border');
  expect(sheet().getByText(/^Edits 6 plants/)).toBeDefined();
  await user.keyboard('{Enter}');
  await listed('border');
  expect(tags()).toEqual([...Array(6).fill('border'), 'shade', 'shade', undefined]);
  expect(within(screen.getByRole('grid', { hidden: true })).getAllByText('border')).toHaveLength(6);
  expect(sheet().queryByLabelText(/New name/)).toBeNull();
});

it('lets the browser ask before it closes the page while it renames a tag, and no longer', async () => {
  const closes = () => window.dispatchEvent(new Event('beforeunload', { cancelable: true }));
  const user = await rename('bed', 'border');
  expect(closes()).toBe(true);
  let release = (): void => undefined;
  const held = new Promise<undefined>((resolve) => {
    release = () => resolve(undefined);
  });
  beforePut = () => held;
  await user.keyboard('{Enter}');
  await waitFor(() => expect(closes()).toBe(false));
  release();
  await waitFor(() => expect(closes()).toBe(true));
});

it('undoes a merge, plant by plant, from the sheet', async () => {
  const user = await rename('bed', 'shade');
  await user.click(sheet().getByRole('button', { name: 'Merge' }));
  await user.click(
    await sheet().findByRole('button', { name: 'Undo', description: '6 plants tagged shade.' }),
  );
  await sheet().findByText('have their tags as before.');
  expect(tags()).toEqual([...Array(6).fill('bed'), 'shade', 'shade', undefined]);
  await waitFor(() =>
    expect(lines()).toEqual([
      ['bed', '6'],
      ['shade', '2'],
    ]),
  );
});

it.each([
  ['shade', 'Merge', /^Merges into the tag of 2 others/, 'shade'],
  ['', 'Remove', /^Removes the tag of 6 plants/, undefined],
])('says before it does what a rename to "%s" does: %s', async (to, label, hint, tag) => {
  const user = await rename('bed', to);
  expect(sheet().getByText(hint)).toBeDefined();
  await user.click(sheet().getByRole('button', { name: label }));
  await waitFor(() => expect(tags()).toEqual([...Array(6).fill(tag), 'shade', 'shade', undefined]));
});

it('stops a rename on Cancel after what was sent already, and goes on with what is left', async () => {
  const user = await rename('bed', 'border');
  const held: (() => void)[] = [];
  let sent = 0;
  // The first is answered, the others wait.
  beforePut = () =>
    sent++ === 0 ? undefined : new Promise((resolve) => held.push(() => resolve(undefined)));
  await user.click(sheet().getByRole('button', { name: 'Rename' }));
  await waitFor(() => expect(held).toHaveLength(4));
  expect(sheet().getByRole('progressbar', { name: 'Plants done' })).toBeDefined();
  await user.click(sheet().getByRole('button', { name: 'Cancel' }));
  for (const resolve of held) resolve();
  await sheet().findByText('5 of 6 done; the others are as they were.');
  expect(tags().filter((tag) => tag === 'border')).toHaveLength(5);
  beforePut = () => undefined;
  await user.click(sheet().getByRole('button', { name: 'Continue' }));
  await waitFor(() => expect(tags().filter((tag) => tag === 'border')).toHaveLength(6));
  await waitFor(() =>
    expect(lines()).toEqual([
      ['border', '6'],
      ['shade', '2'],
    ]),
  );
  // One undo for both parts.
  await user.click(await sheet().findByRole('button', { name: 'Undo' }));
  await sheet().findByText('have their tags as before.');
  expect(tags()).toEqual([...Array(6).fill('bed'), 'shade', 'shade', undefined]);
});

it('stops on Cancel at once where the rate limit permits no more', async () => {
  const user = await rename('bed', 'border');
  let sent = 0;
  beforePut = async () => {
    await held.promise;
    sent++;
    return Response.json({ error: 42900, message: '' }, { status: 429, headers: { 'Retry-After': '3600' } });
  };
  const held = Promise.withResolvers<void>();
  await user.click(sheet().getByRole('button', { name: 'Rename' }));
  await user.click(await sheet().findByRole('button', { name: 'Cancel' }));
  held.resolve();
  await sheet().findByText('0 of 6 done; the others are as they were.');
  expect(sent).toBeLessThanOrEqual(4);
});

it('shows why a rename ended, and waits where the rate limit permits no more', async () => {
  const user = await rename('bed', 'border');
  let sent = 0;
  // More than the attempts of the client for all that are edited at a time.
  beforePut = async () => {
    const [status, error] = sent++ < 16 ? [429, 42900] : [403, 40300];
    return Response.json({ error, message: 'Not now.' }, { status, headers: { 'Retry-After': '0' } });
  };
  await user.click(sheet().getByRole('button', { name: 'Rename' }));
  const alert = await sheet().findByText('Not now.');
  expect(alert.closest('[role=alert]')).not.toBeNull();
  beforePut = () => undefined;
  await user.click(sheet().getByRole('button', { name: 'Continue' }));
  await waitFor(() => expect(tags().filter((tag) => tag === 'border')).toHaveLength(6));
});
