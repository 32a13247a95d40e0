import { createClient } from '@plant-store/client';
import { createFakePlantStore } from '@plant-store/client/testing';
import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { openApp, serve, token } from '../../../test/open-page.js';

let store: ReturnType<typeof createFakePlantStore>;
/** Called before each batch of edits is sent; may resolve with its reply. */
let beforeUpdate: () => Promise<Response | undefined> | undefined;
/** How many batches of edits were sent. */
let sent: number;

/** Six plants in bed, two in shade, one without a tag. */
beforeEach(async () => {
  store = createFakePlantStore({ baseUrl: location.origin, token });
  const tags = ['bed', 'bed', 'bed', 'bed', 'bed', 'bed', 'shade', 'shade', undefined];
  const plants = tags.map((tag, at) => ({ id: at + 1, name: `plant ${at + 1}`, ...(tag && { tag }) }));
  await createClient(store).createPlants({ body: { plants } });
  beforeUpdate = () => undefined;
  history.replaceState(null, '', '/');
  sent = 0;
  serve(store, (url) => {
    if (!url.endsWith('/batch/update')) return undefined;
    sent++;
    return beforeUpdate();
  });
});

async function open() {
  const user = openApp(token);
  await screen.findByText('plant 9');
  await user.click(await screen.findByRole('button', { name: 'Edit tags' }));
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
  const field = await sheet().findByLabelText<HTMLInputElement>(`New name for “${from}”`);
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

it('renames a tag by editing its plants, and shows it; meanwhile the browser asks before it closes the page', async () => {
  const closes = () => window.dispatchEvent(new Event('beforeunload', { cancelable: true }));
  const user = await rename('bed', 'border');
  expect([sheet().getByText(/^Renames the tag on 6 plants/).isConnected, closes()]).toEqual([true, true]);
  const { promise, resolve } = Promise.withResolvers<undefined>();
  beforeUpdate = () => promise;
  await user.keyboard('{Enter}');
  await waitFor(() => expect(closes()).toBe(false));
  resolve(undefined);
  await listed('border');
  expect(closes()).toBe(true);
  expect(tags()).toEqual([...Array(6).fill('border'), 'shade', 'shade', undefined]);
  expect(within(screen.getByRole('grid', { hidden: true })).getAllByText('border')).toHaveLength(6);
  expect(sheet().queryByLabelText(/New name/)).toBeNull();
});

it('undoes a merge, plant by plant, from the sheet', async () => {
  const user = await rename('bed', 'shade');
  await user.click(sheet().getByRole('button', { name: 'Merge' }));
  await user.click(
    await sheet().findByRole('button', { name: 'Undo', description: '6 plants tagged shade.' }),
  );
  await sheet().findByText('Restored the tags of');
  expect(tags()).toEqual([...Array(6).fill('bed'), 'shade', 'shade', undefined]);
  await waitFor(() =>
    expect(lines()).toEqual([
      ['bed', '6'],
      ['shade', '2'],
    ]),
  );
});

it.each([
  ['shade', 'Merge', /^Merges with the existing tag of 2 other plants/, 'shade'],
  ['', 'Remove', /^Removes the tag from 6 plants/, undefined],
])('says in advance what a rename to "%s" does: %s', async (to, label, hint, tag) => {
  const user = await rename('bed', to);
  expect(sheet().getByText(hint)).toBeDefined();
  await user.click(sheet().getByRole('button', { name: label }));
  await waitFor(() => expect(tags()).toEqual([...Array(6).fill(tag), 'shade', 'shade', undefined]));
});

it('stops a rename on Cancel after the edits already sent, and can resume with the rest', async () => {
  const many = Array.from({ length: 2_500 }, (_, at) => ({ id: 1_000 + at, name: 'x', tag: 'field' }));
  const client = createClient(store);
  for (const plants of [many.slice(0, 1_000), many.slice(1_000, 2_000), many.slice(2_000)])
    await client.createPlants({ body: { plants } });
  // Resets the address for the other tests.
  history.replaceState(null, '', '/?order=id');
  const tagged = (tag: string) => tags().filter((each) => each === tag).length;
  const user = await rename('field', 'border');
  const held = Promise.withResolvers<undefined>();
  beforeUpdate = () => held.promise;
  await user.click(sheet().getByRole('button', { name: 'Rename' }));
  expect(await sheet().findByRole('progressbar', { name: 'Plants processed' })).toBeDefined();
  await waitFor(() => expect(sent).toBe(2));
  await user.click(sheet().getByRole('button', { name: 'Cancel' }));
  held.resolve(undefined);
  await sheet().findByText('2,000 of 2,500 done; the rest are unchanged.');
  expect([tagged('border'), sent]).toEqual([2_000, 2]);
  await waitFor(() =>
    expect(sheet().getByText(/^Merges with the existing tag of 2,000 other plants/)).toBeDefined(),
  );
  await user.click(sheet().getByRole('button', { name: 'Merge' }));
  await waitFor(() => expect(tagged('border')).toBe(2_500));
  // There is an undo for each part, latest first.
  await user.click((await sheet().findAllByRole('button', { name: 'Undo' }))[0] as HTMLElement);
  await sheet().findByText('Restored the tags of');
  expect([tagged('field'), tagged('border'), sent]).toEqual([500, 2_000, 4]);
});

it('completes the edits sent before Cancel, and offers to undo them', async () => {
  const user = await rename('bed', 'border');
  const held = Promise.withResolvers<undefined>();
  beforeUpdate = () => held.promise;
  await user.click(sheet().getByRole('button', { name: 'Rename' }));
  await waitFor(() => expect(sent).toBe(1));
  await user.click(sheet().getByRole('button', { name: 'Cancel' }));
  held.resolve(undefined);
  await sheet().findByText('6 of 6 done.');
  await user.click(await sheet().findByRole('button', { name: 'Undo' }));
  await sheet().findByText('Restored the tags of');
  expect(tags()).toEqual([...Array(6).fill('bed'), 'shade', 'shade', undefined]);
});

const refuse = (status: number, error: number, seconds: string) =>
  Response.json({ error, message: 'Not now.' }, { status, headers: { 'Retry-After': seconds } });

it.each(['when the rate limit is reached', 'while it waits for the rate limit'])(
  'stops on Cancel at once %s',
  async (when) => {
    const user = await rename('bed', 'border');
    const held = Promise.withResolvers<void>();
    if (when.startsWith('while')) held.resolve();
    beforeUpdate = async () => {
      await held.promise;
      return refuse(429, 42900, '3600');
    };
    await user.click(sheet().getByRole('button', { name: 'Rename' }));
    await waitFor(() => expect(sent).toBe(1));
    await user.click(await sheet().findByRole('button', { name: 'Cancel' }));
    held.resolve();
    await sheet().findByText('0 of 6 done; the rest are unchanged.');
    expect(sent).toBe(1);
  },
);

it('shows why a rename ended, and waits when the rate limit is reached', async () => {
  const user = await rename('bed', 'border');
  vi.useFakeTimers({ shouldAdvanceTime: true });
  // More failures than the client retries.
  beforeUpdate = async () => (sent <= 4 ? refuse(429, 42900, '20') : refuse(403, 40300, '20'));
  await user.click(sheet().getByRole('button', { name: 'Rename' }));
  await act(() => vi.advanceTimersByTimeAsync(120_000));
  vi.useRealTimers();
  const alert = await sheet().findByText('Not now.');
  expect(alert.closest('[role=alert]')).not.toBeNull();
  beforeUpdate = () => undefined;
  await user.click(sheet().getByRole('button', { name: 'Rename' }));
  await waitFor(() => expect(tags().filter((tag) => tag === 'border')).toHaveLength(6));
});
