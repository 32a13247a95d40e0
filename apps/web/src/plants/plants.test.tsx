import { createClient, errors } from '@plant-store/client';
import { createFakePlantStore } from '@plant-store/client/testing';
import { errorTexts } from '@plant-store/contract/error-texts';
import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { editByOthers, noChanges, openPlants, serve } from '../../test/open-page.js';
import { describes, onTokenRejected } from '../../test/render-view.js';
import { home, navigate } from '../route.js';
import { keepPreferences, readPreferences } from '../shared/preferences.js';

let store: ReturnType<typeof createFakePlantStore>;
let sent: string[];
/** The error with which the service answers each request. */
let failure: keyof typeof errors | undefined;
let hasChanges: boolean;

/** Of two plants added in the same millisecond, the one with the larger id counts as newer. */
const smallest = -9_223_372_036_854_775_808n;

beforeEach(async () => {
  store = createFakePlantStore({ baseUrl: location.origin });
  const plants = [
    { id: smallest, name: 'Fern', tag: 'shade' },
    { id: 2n, name: '' },
    { id: 3n, name: 'Rose', tag: 'sun' },
  ];
  for (const body of plants) await createClient(store).createPlant({ body });
  failure = undefined;
  hasChanges = true;
  history.replaceState(null, '', '/');
  sent = serve(store, async (url) => {
    // truth.test.tsx tests the change feed.
    if (url.includes('/changes')) return hasChanges ? undefined : noChanges();
    if (failure === undefined) return undefined;
    const { error, status } = errors[failure];
    const { example: message } = errorTexts[failure];
    return Response.json({ error, message }, { status });
  });
});

/** Shows the page with the column of ids, which is hidden by default. */
function open() {
  keepPreferences({ hidden: [] });
  return openPlants(store);
}

async function remove(user: ReturnType<typeof open>, name: string) {
  await user.click(await screen.findByText(name));
  await user.click(await screen.findByRole('button', { name: 'Delete' }));
}

const names = async () => {
  const grid = await screen.findByRole('grid');
  await waitFor(() => expect(within(grid).getAllByRole('row').length).toBeGreaterThan(1));
  const [, ...rows] = within(grid).getAllByRole('row');
  return rows.map((row) => row.querySelector('.plant-name')?.textContent);
};

it('shows the plants, newest first, with exact ids, and lets the keyboard move over them, open one, and return to it', async () => {
  const user = open();
  expect(await names()).toEqual(['Rose', '(no name)', 'Fern']);
  expect(screen.getByText(`${smallest}`)).toBeDefined();
  expect(screen.getByText('3 plants')).toBeDefined();
  expect(screen.getByRole('grid').getAttribute('aria-rowcount')).toBe('4');
  const rows = screen.getAllByRole('row').slice(1);
  act(() => rows[0]?.focus());
  await user.keyboard('{ArrowDown}{ArrowDown}{ArrowUp}{End}{ArrowDown}');
  expect(document.activeElement).toBe(rows[2]);
  await user.keyboard('{Home}o');
  await screen.findByRole('heading', { name: 'Rose' });
  await user.click(screen.getByRole('button', { name: 'Close' }));
  expect(document.activeElement).toBe(rows[0]);
});

it('shows hidden parts of a name: direction marks, control characters, only spaces', async () => {
  await createClient(store).createPlants({
    body: {
      plants: [
        { id: 10n, name: 'ab\u202edc\u0007' },
        { id: 11n, name: '   ', tag: ' ' },
      ],
    },
  });
  const user = open();
  expect((await names()).slice(0, 2)).toEqual(['(only spaces: 3)', 'ab\\u202edc\\u0007']);
  expect(screen.getByText('(only spaces: 1)')).toBeDefined();
  await user.click(screen.getByText('ab\\u202edc\\u0007'));
  const open10 = within(await screen.findByRole('complementary', { name: 'ab\\u202edc\\u0007' }));
  expect(open10.getByRole('heading', { name: 'ab\\u202edc\\u0007' })).toBeDefined();
  expect(document.body.textContent).not.toContain('\u202e');
  await user.click(open10.getByRole('button', { name: 'Edit' }));
  // The exact stored text, because it would be saved.
  await waitFor(() => expect(field('Name').value).toBe('ab\u202edc\u0007'));
});

it('shows what to do if there are no plants, such as loading examples, and if none matches', async () => {
  store.clear();
  const user = open();
  await screen.findByRole('heading', { name: 'Every plant, in one list' });
  await user.click(screen.getByRole('button', { name: /^Import a spreadsheet/ }));
  expect(location.pathname).toBe('/import');
  act(() => navigate(home));
  await user.click(await screen.findByRole('button', { name: /^Look around first/ }));
  await screen.findByText('20 plants');
  expect(store.plants.size).toBe(20);
  history.replaceState(null, '', '/?q=cactus');
  const again = open();
  await screen.findByRole('heading', { name: 'No plant has “cactus” in its name' });
  await again.click(screen.getByRole('button', { name: 'Show all plants' }));
  expect(location.search).toBe('');
  await screen.findByText('20 plants');
});

it('loads again after a failure, and still works with a token that may not read', async () => {
  failure = 'database_damaged';
  const user = open();
  const again = await screen.findByRole('button', { name: 'Load again' });
  failure = undefined;
  await user.click(again);
  expect(await names()).toHaveLength(3);
  failure = 'insufficient_scope';
  open();
  expect((await screen.findByRole('alert')).textContent).toBe(errorTexts.insufficient_scope.example);
  expect(screen.queryByRole('button', { name: 'Load again' })).toBeNull();
  expect(onTokenRejected).not.toHaveBeenCalled();
});

it('searches after a pause in typing, and keeps search, tag and sort order in the address', async () => {
  const user = open();
  await names();
  const search = screen.getByRole<HTMLInputElement>('searchbox');
  // The limit of the service.
  expect(search.maxLength).toBe(100);
  await user.type(search, 'ROS');
  await waitFor(async () => expect(await names()).toEqual(['Rose']));
  expect(sent.filter((line) => line.includes('q=')).length).toBe(1);
  expect(location.search).toBe('?q=ROS');
  await user.clear(search);
  await waitFor(async () => expect(await names()).toHaveLength(3));
  expect(location.search).toBe('');
  act(() => navigate({ view: 'plants', filter: { tag: 'shade', order: 'newest' } }));
  await waitFor(async () => expect(await names()).toEqual(['Fern']));
  await user.click(screen.getByRole('button', { name: 'ID' }));
  await waitFor(() => expect(location.search).toBe('?tag=shade&order=id'));
  const sorts = () =>
    screen.getAllByRole('columnheader').map((title) => title.getAttribute('aria-sort') ?? '');
  expect(sorts()).toEqual(['', '', '', 'ascending', '', '']);
  await user.click(screen.getByRole('button', { name: 'ID' }));
  await waitFor(() => expect(location.search).toBe('?tag=shade&order=-id'));
  expect(sorts()).toEqual(['', '', '', 'descending', '', '']);
  act(() => history.back());
  await waitFor(() => expect(sorts()).toEqual(['', '', '', 'ascending', '', '']));
  act(() => history.back());
  await waitFor(() => expect(location.search).toBe('?tag=shade'));
  expect(sorts()).toEqual(['', '', '', '', 'descending', '']);
});

it('sorts by name in either direction, and keeps that for the plants without a tag', async () => {
  const user = open();
  await names();
  await user.click(screen.getByRole('button', { name: 'Name' }));
  await waitFor(async () => expect(await names()).toEqual(['(no name)', 'Fern', 'Rose']));
  expect(location.search).toBe('?order=name');
  await user.click(screen.getByRole('button', { name: 'Name' }));
  await waitFor(async () => expect(await names()).toEqual(['Rose', 'Fern', '(no name)']));
  expect(readPreferences()).toMatchObject({ sortedBy: '-name' });
  act(() => navigate({ view: 'plants', filter: { without: 'tag', order: '-name' } }));
  await waitFor(async () => expect(await names()).toEqual(['(no name)']));
  expect(screen.getByRole('heading', { name: 'Untagged', level: 1 })).toBeDefined();
});

it('opens a plant by its id and by its address', async () => {
  const user = open();
  await names();
  await user.type(screen.getByRole('searchbox'), `${smallest}{Enter}`);
  await screen.findByRole('heading', { name: 'Fern' });
  expect(location.pathname).toBe(`/p/${smallest}`);
  expect(
    screen.getByText(`await client.createPlant({ body: { id: ${smallest}n, name: "Fern", tag: "shade" } });`),
  ).toBeDefined();
  await user.click(screen.getByRole('button', { name: 'Close' }));
  expect(location.pathname).toBe('/');
  history.replaceState(null, '', '/p/7');
  open();
  expect((await screen.findByRole('alert')).textContent).toBe('There is no plant 7.');
});

/** Opens the form of the rose, and types into it. */
async function editRose(name: string, tag: string) {
  const user = open();
  await user.click(await screen.findByText('Rose'));
  await user.click(await screen.findByRole('button', { name: 'Edit' }));
  await waitFor(() => expect(document.activeElement).toBe(field('Name')));
  for (const [label, text] of Object.entries({ Name: name, Tag: tag })) {
    await user.clear(field(label));
    await user.paste(text);
  }
  return user;
}
const panel = () => within(screen.getByRole('complementary'));
const field = (name: string) => panel().getByLabelText<HTMLInputElement>(name);
const typed = () => [field('Name').value, field('Tag').value];
const press = (user: ReturnType<typeof open>, name: string) =>
  user.click(panel().getByRole('button', { name }));
const alertText = () => panel().getByRole('alert').textContent;

it('edits a plant once although the reply is lost, and shows it in the right place', async () => {
  const user = await editRose('Rosa', '');
  store.fail({ operation: 'updatePlant', kind: 'drop', stored: true });
  await user.keyboard('{Enter}');
  await panel().findByText('Saved.');
  expect(store.plants.get(3n)).toEqual({ name: 'Rosa' });
  expect(document.activeElement).toBe(panel().getByRole('button', { name: 'Edit' }));
  expect(panel().getByRole('heading', { name: 'Rosa' })).toBeDefined();
  expect(await names()).toEqual(['Rosa', '(no name)', 'Fern']);
});

it.each([
  ['Save', { name: 'Rosa', tag: 'mine' }],
  ['Discard what I typed', { name: 'Rose', tag: 'theirs' }],
])(`shows someone else's concurrent change before "%s" decides`, async (decision, expected) => {
  const user = await editRose('Rosa', 'mine');
  const theirs = { name: 'Rose', tag: 'theirs' };
  await editByOthers(store, 3, theirs);
  await press(user, 'Save');
  const now = await panel().findByText(/^The current version is:/);
  expect([now.closest('p')?.textContent, alertText()]).toEqual([
    'The current version is: Rose theirs',
    expect.stringContaining('Nothing was saved'),
  ]);
  expect([typed(), store.plants.get(3n)]).toEqual([['Rosa', 'mine'], theirs]);
  await press(user, decision);
  if (decision !== 'Save') await press(user, 'Save');
  await panel().findByText('Saved.');
  expect(store.plants.get(3n)).toEqual(expected);
});

it.each([
  ['insufficient_scope', errorTexts.insufficient_scope.example],
  ['plant_not_found', errorTexts.plant_not_found.example],
  ['internal_error', 'Trying again is safe.'],
] as const)('shows %s of an edit, and keeps what was typed, over a reload too', async (name, text) => {
  const user = await editRose('Rosa', 'mine');
  failure = name;
  await press(user, 'Save');
  await waitFor(() => expect(alertText()).toContain(text));
  expect(typed()).toEqual(['Rosa', 'mine']);
  failure = undefined;
  const again = open();
  await waitFor(() => expect(typed()).toEqual(['Rosa', 'mine']));
  await press(again, 'Save');
  await panel().findByText('Saved.');
  expect(sessionStorage.length).toBe(0);
});

it('shows during an edit that someone else changed the plant, above its current state', async () => {
  const user = await editRose('Rosa', 'mine');
  await editByOthers(store, 3, { name: 'Rosier' });
  await panel().findByRole('heading', { name: 'Rosier' });
  await waitFor(() => expect(alertText()).toContain('Someone changed this plant'));
  expect(
    panel()
      .getByText(/^The current version is:/)
      .closest('p')?.textContent,
  ).toBe('The current version is: Rosier');
  expect(typed()).toEqual(['Rosa', 'mine']);
  await press(user, 'Save');
  await panel().findByText(/Nothing was saved\. Press Save to replace their version\.$/);
  await press(user, 'Save');
  await panel().findByText('Saved.');
  expect(store.plants.get(3n)).toEqual({ name: 'Rosa', tag: 'mine' });
});

it('does not treat the state before the edit as a change', async () => {
  hasChanges = false;
  const user = open();
  await user.click(await screen.findByText('Rose'));
  await editByOthers(store, 3, { name: 'Rosier' });
  await press(user, 'Edit');
  await panel().findByRole('heading', { name: 'Rosier' });
  expect([field('Name').value, panel().queryByText(/^The current version is/), alertText()]).toEqual([
    'Rosier',
    null,
    '',
  ]);
});

it('shows the previous state of a plant, and restores it unless someone else has changed the plant', async () => {
  hasChanges = false;
  await editByOthers(store, 3, { name: 'Rosa' });
  const user = open();
  await user.click(await screen.findByText('Rosa'));
  await screen.findByRole('button', { name: 'Restore Rose' });
  const states = within(panel().getByRole('region', { name: 'History' })).getAllByRole('listitem');
  expect(states.map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/^Name and tag editedRestoreBefore: RoseAfter: Rosasuntonone\d+:\d+/),
    expect.stringMatching(/^Added\d+:\d+/),
  ]);
  await editByOthers(store, 3, { name: 'Rosier' });
  await press(user, 'Restore Rose');
  await waitFor(() => expect(alertText()).toContain('Nothing was'));
  expect(store.plants.get(3n)).toEqual({ name: 'Rosier' });
  await user.click(await panel().findByRole('button', { name: 'Restore Rose' }));
  await panel().findByText('Saved.');
  expect(store.plants.get(3n)).toEqual({ name: 'Rose', tag: 'sun' });
  await panel().findByRole('button', { name: 'Restore Rosier' });
});

it('keeps typed text as an unsaved edit when the sheet closes, and nothing if nothing was typed', async () => {
  const user = await editRose('Rosa', 'mine');
  expect(panel().queryByText(/unsaved text/)).toBeNull();
  await press(user, 'Close');
  await user.click(await screen.findByText('Rose'));
  await panel().findByText(/^This is your unsaved text/);
  expect(typed()).toEqual(['Rosa', 'mine']);
  await press(user, 'Cancel');
  await press(user, 'Edit');
  await waitFor(() => expect(typed()).toEqual(['Rose', 'sun']));
  expect(panel().queryByText(/unsaved text/)).toBeNull();
  await press(user, 'Close');
  await user.click(await screen.findByText('Rose'));
  await panel().findByRole('button', { name: 'Edit' });
  expect(sessionStorage.length).toBe(0);
});

it('checks an edit before it is sent, and lets it be cancelled', async () => {
  const user = await editRose('', 'mine');
  await press(user, 'Save');
  await waitFor(() => expect(describes(field('Name'))).toBe('Name is required.'));
  expect(document.activeElement).toBe(field('Name'));
  await press(user, 'Cancel');
  expect(panel().queryByLabelText('Name')).toBeNull();
  expect(sent.filter((line) => line.startsWith('PUT'))).toEqual([]);
  expect(sessionStorage.length).toBe(0);
});

it('shows what others add, edit and delete', async () => {
  const user = open();
  expect(await names()).toEqual(['Rose', '(no name)', 'Fern']);
  await waitFor(() => expect(sent.filter((line) => line.includes('wait=25'))).toHaveLength(1));
  const other = createClient(store);
  await other.createPlant({ body: { id: 9, name: 'Ivy' } });
  await waitFor(async () => expect(await names()).toEqual(['Ivy', 'Rose', '(no name)', 'Fern']));
  await user.click(screen.getByText('Rose'));
  await editByOthers(store, 3, { name: 'Rosa' });
  await screen.findByRole('heading', { name: 'Rosa' });
  await other.deletePlant({ params: { id: 9 } });
  await waitFor(async () => expect(await names()).toEqual(['Rosa', '(no name)', 'Fern']));
  const plants = Array.from({ length: 101 }, (_, at) => ({ id: 100 + at, name: `many ${at}` }));
  await other.createPlants({ body: { plants } });
  await screen.findByText('104 plants');
});

it.each([['insufficient_scope'], ['precondition_failed'], ['database_damaged'], [undefined]] as const)(
  'brings a deleted plant back under its id, once, or shows why not: %s',
  async (name) => {
    const user = open();
    await remove(user, 'Rose');
    act(() => void window.dispatchEvent(new Event('pagehide')));
    await waitFor(() => expect(store.plants.has(3n)).toBe(false));
    failure = name;
    await user.click(await screen.findByRole('button', { name: 'Undo' }));
    if (name !== undefined) {
      expect((await screen.findByRole('alert')).textContent).toMatch(/^Rose might not be restored\. \w/);
      expect(await names()).toEqual(['(no name)', 'Fern']);
      failure = undefined;
      store.fail({ operation: 'updatePlant', kind: 'drop', stored: true });
      await user.click(await screen.findByRole('button', { name: 'Undo' }));
      // The change feed shows it, and the page counts again, before the retry that reads it is over.
      const ofRose = () => sent.filter((line) => line.includes('/plants/3'));
      await waitFor(() => expect(ofRose().at(-1)).toBe('GET /plants/3'), { timeout: 5_000 });
    }
    await waitFor(async () => expect(await names()).toEqual(['Rose', '(no name)', 'Fern']));
    expect(store.plants.get(3n)).toEqual({ name: 'Rose', tag: 'sun' });
    expect(document.querySelector('.undo-item > p')?.textContent).toBe(
      'Restored Rose with a new Added time.',
    );
    expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull();
  },
);
