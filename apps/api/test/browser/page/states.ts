import type { Page } from 'playwright-core';
import { addButton, chooseFile, importAddress } from './support/import-page.js';
import { makePlantsFile } from './support/plants-file.js';
import type { PlantStore } from './support/start-plant-store.js';
import { addPlant, field, forgetToken, openAccess } from './support/use-page.js';

/** The next action of a person, by which a state is left; it resolves once what follows is shown. */
type Leave = () => Promise<unknown>;

/** A state of the page. */
interface State {
  readonly name: string;
  /** Goes there from a page of the store in which nothing is kept; resolves once it is shown. */
  readonly open: (page: Page, store: PlantStore) => Promise<Leave>;
}

/**
 * All states of the page, for tests and pictures. Those of a store without plants come first; each can be opened again, from any
 * later one.
 */
export const states: readonly State[] = [
  {
    name: 'no token',
    async open(page, { baseUrl, token }) {
      await page.goto(baseUrl);
      await button(page, 'Use token').waitFor();
      return () => useToken(page, token);
    },
  },
  {
    name: 'token refused',
    async open(page, { baseUrl, token }) {
      await page.goto(baseUrl);
      // It has the form of a JSON Web Token, so that the service is asked.
      await page.getByLabel('Access token').fill('no.such.token');
      await button(page, 'Use token').click();
      await page.locator('[aria-invalid=true]').waitFor();
      return () => useToken(page, token);
    },
  },
  {
    name: 'list empty',
    async open(page, { address }) {
      await page.goto(address);
      await page.getByText('Every plant, in one list').waitFor();
      return async () => {
        await page.getByRole('button', { name: 'Look around first' }).click();
        await page.getByText('20 plants').waitFor();
      };
    },
  },
  {
    name: 'list',
    async open(page, store) {
      await openList(page, store);
      return async () => {
        await row(page, ficus.name).locator('.plant-name').click();
        await page.getByRole('heading', { name: ficus.name }).waitFor();
      };
    },
  },
  {
    name: 'list, selected',
    async open(page, store) {
      await openList(page, store);
      for (const index of [0, 2]) await page.locator('.plant-row .plant-select').nth(index).click();
      await page.getByRole('region', { name: 'Selected plants' }).waitFor();
      return async () => {
        await button(page, 'Clear').click();
        await page.getByRole('region', { name: 'Selected plants' }).waitFor({ state: 'detached' });
      };
    },
  },
  {
    name: 'menu of the list',
    async open(page, store) {
      await openList(page, store);
      await button(page, 'More').click();
      await button(page, 'Print the list').waitFor();
      return async () => {
        await page.keyboard.press('Escape');
        await button(page, 'Print the list').waitFor({ state: 'hidden' });
      };
    },
  },
  {
    name: 'columns',
    async open(page, store) {
      await openList(page, store);
      await button(page, 'Columns').click();
      await page.getByRole('checkbox', { name: 'ID' }).waitFor();
      return async () => {
        await page.getByRole('checkbox', { name: 'ID' }).check();
        await page.getByRole('columnheader', { name: 'ID' }).waitFor();
        await button(page, 'Reset columns').click();
      };
    },
  },
  {
    name: 'cell edited',
    async open(page, store) {
      await openList(page, store);
      await row(page, ficus.name).focus();
      await page.keyboard.press('F2');
      await page.getByRole('textbox', { name: 'Name' }).fill('Ficus elastica');
      return async () => {
        await page.keyboard.press('Enter');
        await page.getByText('Name edited:').waitFor();
        await row(page, 'Ficus elastica').waitFor();
      };
    },
  },
  {
    name: 'cell edited, changed by another',
    async open(page, store) {
      await openList(page, store);
      await row(page, ficus.name).focus();
      await page.route(isOfApi, async (route) => {
        // The page hears of no change until it saves.
        if (route.request().url().includes('/changes')) await new Promise(() => undefined);
        await route.continue();
      });
      await page.reload();
      await row(page, ficus.name).focus();
      await page.keyboard.press('F2');
      await page.getByRole('textbox', { name: 'Name' }).fill('Ficus elastica');
      const etag = (await store.send(`/plants/${ficus.id}`)).headers.get('etag') ?? '';
      await put(store, { ...ficus, name: 'Ficus benjamina' }, { 'if-match': etag });
      await page.keyboard.press('Enter');
      await page.getByText('Someone changed this plant while you were editing.').waitFor();
      return async () => {
        await button(page, 'Keep theirs').click();
        await row(page, 'Ficus benjamina').waitFor();
      };
    },
  },
  {
    name: 'tag chosen in a cell',
    async open(page, store) {
      await openList(page, store);
      await row(page, ficus.name).focus();
      await page.keyboard.press('F2');
      await page.getByRole('textbox', { name: 'Name' }).waitFor();
      await page.keyboard.press('Tab');
      await page.getByRole('combobox', { name: 'Tag' }).fill('s');
      await page.getByRole('option', { name: 'shrub' }).waitFor();
      return async () => {
        await page.getByRole('option', { name: 'shrub' }).click();
        await page.keyboard.press('Enter');
        await page.getByText('Tag edited:').waitFor();
      };
    },
  },
  {
    name: 'delete all asked',
    async open(page, store) {
      await openList(page, store);
      await button(page, 'More').click();
      await page.getByRole('button', { name: /^Delete all/ }).click();
      await page.getByRole('dialog').waitFor();
      return async () => {
        await button(page, 'Keep them').click();
        await page.getByRole('dialog').waitFor({ state: 'detached' });
      };
    },
  },
  {
    name: 'keys',
    async open(page, store) {
      await openList(page, store);
      await page.getByRole('button', { name: 'Shortcuts' }).click();
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
      return () => close(page);
    },
  },
  {
    name: 'access',
    async open(page, store) {
      await openList(page, store);
      await openAccess(page);
      await button(page, 'Show QR code').click();
      await page.getByRole('img', { name: 'QR code' }).waitFor();
      return () => close(page);
    },
  },
  {
    name: 'tokens',
    async open(page, store) {
      await openTokens(page, store);
      return async () => {
        await page.getByRole('button', { name: /^Revoke ?: quickstart/ }).click();
        await page.getByText('Revoke permanently').waitFor();
      };
    },
  },
  {
    name: 'tokens, a new one',
    async open(page, store) {
      await openTokens(page, store);
      await page.getByText('Create a token').click();
      await page.getByLabel('Token name').fill('web shop');
      await page.getByLabel('See plants').check();
      await button(page, 'Create token').click();
      await button(page, 'Show QR code').click();
      await page.getByRole('img', { name: 'QR code' }).waitFor();
      return async () => {
        await button(page, 'I saved it').click();
        await page.getByText('Copy it now').waitFor({ state: 'detached' });
      };
    },
  },
  {
    name: 'tags',
    async open(page, store) {
      await openList(page, store);
      await button(page, 'Edit tags').click();
      await page
        .getByRole('button', { name: /^Rename/ })
        .first()
        .waitFor();
      return () => close(page);
    },
  },
  {
    name: 'list filtered',
    async open(page, store) {
      await openList(page, store);
      await page.getByRole('searchbox').fill('ficus');
      await page.getByText(/^\d+ plants? found$/).waitFor();
      return async () => {
        await page.getByRole('searchbox').fill('');
        await page.getByText(/^\d+ plants$/).waitFor();
      };
    },
  },
  {
    name: 'list filtered without a match',
    async open(page, store) {
      await openList(page, store);
      await page.getByRole('searchbox').fill('cactus');
      await page.getByText('No plant has “cactus” in its name').waitFor();
      return async () => {
        await button(page, 'Show all plants').click();
        await row(page, ficus.name).waitFor();
      };
    },
  },
  {
    name: 'list loading',
    async open(page, store) {
      const answer = await holdRequests(page);
      await fill(store);
      await page.goto(store.address);
      await page.getByText('Loading…').waitFor();
      return async () => {
        answer();
        await page.getByText(/^\d+ plants$/).waitFor();
        await row(page, ficus.name).waitFor();
      };
    },
  },
  {
    name: 'service away',
    async open(page, store) {
      await fill(store);
      await loseRequests(page);
      await page.goto(store.address);
      await page.getByText('The connection to the server failed').waitFor();
      return () => comeBack(page);
    },
  },
  {
    name: 'service away, with rows',
    async open(page, store) {
      await openList(page, store);
      await loseRequests(page);
      await page.getByRole('searchbox').fill('ficus');
      await page.getByText('The connection to the server failed').waitFor();
      return () => comeBack(page);
    },
  },
  {
    name: 'token without read',
    async open(page, store) {
      await page.goto(`${store.baseUrl}/#token=${await store.issueToken('create')}`);
      await page.getByRole('alert').filter({ hasText: /\S/ }).waitFor();
      return async () => {
        await forgetToken(page);
        await useToken(page, store.token);
      };
    },
  },
  {
    name: 'plant',
    async open(page, store) {
      await openFicus(page, store);
      return async () => {
        await button(page, 'Delete').click();
        await button(page, 'Undo').waitFor();
        await row(page, ficus.name).waitFor({ state: 'detached' });
      };
    },
  },
  {
    name: 'plant missing',
    async open(page, store) {
      await fill(store);
      await page.goto(store.address.replace('/#', '/p/404#'));
      await page.getByText('There is no plant 404.').waitFor();
      return () => button(page, 'Close').click();
    },
  },
  {
    name: 'plant edited',
    async open(page, store) {
      await openFicus(page, store);
      await edit(page, 'Ficus elastica');
      return async () => {
        await button(page, 'Save').click();
        await page.getByText('Saved.').waitFor();
        await page.getByRole('heading', { name: 'Ficus elastica' }).waitFor();
      };
    },
  },
  {
    name: 'plant edited, changed by another',
    async open(page, store) {
      await openFicus(page, store);
      await edit(page, 'Ficus elastica');
      const etag = (await store.send(`/plants/${ficus.id}`)).headers.get('etag') ?? '';
      await put(store, { ...ficus, name: 'Ficus benjamina' }, { 'if-match': etag });
      await button(page, 'Save').click();
      await page.getByText('It is now:').waitFor();
      return async () => {
        await button(page, 'Discard what I typed').click();
        await page.getByText('It is now:').waitFor({ state: 'detached' });
        await button(page, 'Save').click();
        await page.getByText('Saved.').waitFor();
        await page.getByRole('heading', { name: 'Ficus benjamina' }).waitFor();
      };
    },
  },
  {
    name: 'plant deleted',
    async open(page, store) {
      await openFicus(page, store);
      await button(page, 'Delete').click();
      await button(page, 'Undo').waitFor();
      return async () => {
        await button(page, 'Undo').click();
        await button(page, 'Undo').waitFor({ state: 'detached' });
        await row(page, ficus.name).waitFor();
      };
    },
  },
  {
    name: 'plants tagged',
    async open(page, store) {
      // Another one each time, since plants that have it are left alone.
      const tag = `bed ${Math.round(performance.now())}`;
      await openList(page, store);
      for (const index of [0, 2]) await page.locator('.plant-row .plant-select').nth(index).click();
      await page
        .getByRole('region', { name: 'Selected plants' })
        .getByRole('button', { name: 'Tag' })
        .click();
      await page.getByRole('region', { name: 'Selected plants' }).getByRole('combobox').fill(tag);
      await page.keyboard.press('Enter');
      await page
        .locator('.undo-item')
        .filter({ hasText: `2 plants tagged ${tag}.` })
        .waitFor();
      return async () => {
        await button(page, 'Undo').click();
        await page.getByText('Restored the tags of').waitFor();
      };
    },
  },
  {
    name: 'add',
    async open(page, store) {
      await openAdd(page, store);
      return () => addNew(page);
    },
  },
  {
    name: 'add, with a problem',
    async open(page, store) {
      await openAdd(page, store);
      await addPlant(page, { id: '9223372036854775808', name: 'Monstera' });
      await page.locator('[aria-invalid=true]').waitFor();
      return () => addNew(page);
    },
  },
  {
    name: 'add, id taken',
    async open(page, store) {
      await openAdd(page, store);
      await addPlant(page, { id: `${ficus.id}`, name: 'Monstera' });
      await button(page, 'Use a free ID').waitFor();
      await button(page, 'Open it').waitFor();
      return async () => {
        await button(page, 'Use a free ID').click();
        await page.keyboard.press('Enter');
        await page.getByText(/^Stored: Monstera/).waitFor();
      };
    },
  },
  {
    name: 'add, stored',
    async open(page, store) {
      await openAdd(page, store);
      await addNew(page);
      return async () => {
        await addNew(page);
        await close(page);
        await row(page, ficus.name).waitFor();
      };
    },
  },
  {
    name: 'import, source',
    async open(page, store) {
      await openImport(page, store);
      return () => chooseFile(page, makeFile());
    },
  },
  {
    name: 'import, source unreadable',
    async open(page, store) {
      await openImport(page, store);
      const empty = { name: 'empty.csv', mimeType: 'text/csv', buffer: Buffer.alloc(0) };
      await page.locator('input[type=file]').setInputFiles(empty);
      await page.getByRole('alert').filter({ hasText: /\S/ }).waitFor();
      return () => chooseFile(page, makeFile());
    },
  },
  {
    name: 'import, columns',
    async open(page, store) {
      await openImport(page, store);
      await chooseFile(page, makeFile());
      await button(page, 'Back').click();
      await button(page, 'Review lines').waitFor();
      return async () => {
        await button(page, 'Review lines').click();
        await addButton(page).waitFor();
      };
    },
  },
  {
    name: 'import, review',
    async open(page, store) {
      await openImport(page, store);
      await chooseFile(page, makeFile());
      await page.getByRole('form').first().waitFor();
      return async () => {
        await page.getByRole('button', { name: /^New/ }).click();
        await page.getByRole('form').first().waitFor({ state: 'detached' });
        await page.getByRole('button', { name: /^Problems/ }).click();
        const line = page.getByRole('form').first();
        await line.getByLabel('ID').fill('123456');
        await line.getByLabel('Name').fill('Hedera helix');
        await line.getByLabel('Name').press('Enter');
        await page.getByRole('button', { name: 'Problems 3' }).waitFor();
      };
    },
  },
  {
    name: 'import, running',
    async open(page, store) {
      await openImport(page, store);
      await chooseFile(page, makeFile());
      const answer = await holdRequests(page);
      await addButton(page).click();
      await button(page, 'Cancel').waitFor();
      return async () => {
        answer();
        await outcome(page).waitFor();
      };
    },
  },
  {
    name: 'import, cancelled',
    async open(page, store) {
      await openImport(page, store);
      await chooseFile(page, makeFile());
      const answer = await holdRequests(page);
      await addButton(page).click();
      await button(page, 'Cancel').click();
      await button(page, 'Continue').waitFor();
      return async () => {
        answer();
        await button(page, 'Continue').click();
        await outcome(page).waitFor();
      };
    },
  },
  {
    name: 'import, outcome',
    async open(page, store) {
      await openImport(page, store);
      await chooseFile(page, makeFile());
      await addButton(page).click();
      await outcome(page).waitFor();
      return async () => {
        await page.getByRole('link', { name: 'View plants' }).click();
        await page.getByRole('grid').waitFor();
      };
    },
  },
  {
    name: 'part not loaded',
    async open(page, store) {
      await page.route(/\/assets\/import.*\.js$/, (route) => route.fulfill({ status: 404, body: '' }));
      await page.goto(importAddress(store));
      await page.getByText('Part of this page did not load').first().waitFor();
      return async () => {
        await page.unrouteAll();
        await button(page, 'Reload the page').click();
        await button(page, 'Choose file').waitFor();
      };
    },
  },
];

/** Opens a state, whatever the page shows. */
export async function openState(state: State, page: Page, store: PlantStore): Promise<Leave> {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  // A file of the origin, so that what the page has kept in the tab can be removed where nothing of it runs.
  await page.goto(`${store.baseUrl}/icon.svg`);
  await page.evaluate(() => {
    sessionStorage.clear();
    localStorage.clear();
  });
  return state.open(page, store);
}

const long = 'Monstera'.repeat(30);
/** The plant that is opened, edited and deleted. */
const ficus = { id: 100_000_000_007, name: 'Ficus carica', tag: 'tree' };
const makeFile = () => makePlantsFile(40, { faultyEvery: 10, firstId: BigInt(Date.now()) });

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const outcome = (page: Page) => page.getByRole('heading', { name: / added from / });
const row = (page: Page, name: string) => page.getByRole('row', { name });
const isOfApi = ({ pathname }: URL) => /^\/(plants|changes|tags)\b/.test(pathname);

/** Adds what the states have in common; the plant that they open, edit and delete again, as the newest one. */
async function fill(store: PlantStore): Promise<void> {
  const names = ['Rosa canina', 'Aloe vera', 'Quercus robur', 'Mentha × piperita', 'Ginkgo biloba'];
  const tags = ['shrub', 'succulent', 'tree', 'herb'];
  const many = Array.from({ length: 30 }, (_, index) => ({
    id: 500_000_000_000 + 7919 * index,
    name: `${names[index % names.length]} ${index + 1}`,
    tag: tags[index % tags.length],
  }));
  const odd = [
    { id: 1, name: '' },
    { id: 2, name: long, tag: long },
    { id: 3, name: 'بلوط', tag: 'bed' },
  ];
  await store.send('/plants/batch', { plants: [...many, ...odd, ficus] });
  await store.send('/plants/batch/delete', { ids: [`${ficus.id}`] });
  await put(store, ficus, { 'if-none-match': '*' });
}

async function put(store: PlantStore, plant: typeof ficus, condition: Record<string, string>) {
  const { id, ...texts } = plant;
  const { status } = await store.send(`/plants/${id}`, texts, condition);
  if (status !== 200) throw new Error(`The plant was answered with status ${status}.`);
}

async function openList(page: Page, store: PlantStore): Promise<void> {
  await fill(store);
  await page.goto(store.address);
  await row(page, ficus.name).waitFor();
}

async function openFicus(page: Page, store: PlantStore): Promise<void> {
  await fill(store);
  await page.goto(store.address.replace('/#', `/p/${ficus.id}#`));
  await row(page, ficus.name).waitFor({ state: 'attached' });
  await button(page, 'Delete').waitFor();
}

async function edit(page: Page, name: string): Promise<void> {
  await button(page, 'Edit').click();
  await page.getByRole('textbox', { name: 'Name' }).fill(name);
}

async function openAdd(page: Page, store: PlantStore): Promise<void> {
  await fill(store);
  await page.goto(store.formAddress);
  await field(page, 'Name').waitFor();
}

/** Adds a plant that is not there yet. */
async function addNew(page: Page): Promise<void> {
  const id = `${Date.now()}`;
  await addPlant(page, { id, name: 'Hedera helix', tag: 'ivy' });
  await page.getByText(`Stored: Hedera helix, ID ${id}.`).waitFor();
}

async function openImport(page: Page, store: PlantStore): Promise<void> {
  await page.goto(importAddress(store));
  await button(page, 'Choose file').waitFor();
}

async function useToken(page: Page, token: string): Promise<void> {
  await page.getByLabel('Access token').fill(token);
  await button(page, 'Use token').click();
  await page.getByRole('link', { name: 'Plants' }).waitFor();
}

async function openTokens(page: Page, store: PlantStore): Promise<void> {
  await fill(store);
  await page.goto(`${store.baseUrl}/#token=${await store.issueToken('create,read,update,delete,admin')}`);
  await openAccess(page);
  await button(page, 'Manage tokens').click();
  await page.getByRole('dialog', { name: 'Tokens' }).getByText('quickstart').first().waitFor();
}

async function close(page: Page): Promise<void> {
  await button(page, 'Close').click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

/** Holds what is sent to the service until the function that it returns is called. */
async function holdRequests(page: Page): Promise<() => void> {
  const held = Promise.withResolvers<void>();
  await page.route(isOfApi, async (route) => {
    await held.promise;
    // It may have been cancelled.
    await route.continue().catch(() => undefined);
  });
  return held.resolve;
}

/** Loses what is sent to the service until the page comes back. */
async function loseRequests(page: Page): Promise<void> {
  await page.route(isOfApi, (route) => route.abort());
}

/** Waits for what the page does by itself once the service is there again. */
async function comeBack(page: Page): Promise<void> {
  await page.unrouteAll();
  await page.getByText(/^\d+ plants?( found)?$/).waitFor();
  await row(page, ficus.name).waitFor();
}
