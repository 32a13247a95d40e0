import type { Page } from 'playwright-core';
import { addButton, chooseFile, importAddress } from './support/import-page.js';
import { makePlantsFile } from './support/plants-file.js';
import type { PlantStore } from './support/start-plant-store.js';
import { addPlant, field, openAccess } from './support/use-page.js';

/** Goes to a state from a page of the store in which nothing is kept, and resolves once it is shown. */
type Open = (page: Page, store: PlantStore) => Promise<unknown>;

/** All states of the page by name. Those of a store without plants come first; each can be opened again, from any later one. */
const openers: Readonly<Record<string, Open>> = {
  async 'no token'(page, { baseUrl }) {
    await page.goto(baseUrl);
    await button(page, 'Use token').waitFor();
  },
  async 'token refused'(page, { baseUrl }) {
    await page.goto(baseUrl);
    // It has the form of a JSON Web Token, so that the service is asked.
    await page.getByLabel('Access token').fill('no.such.token');
    await button(page, 'Use token').click();
    await page.locator('[aria-invalid=true]').waitFor();
  },
  async 'list empty'(page, { address }) {
    await page.goto(address);
    await page.getByText('Every plant, in one list').waitFor();
  },
  list: openList,
  'list, selected': selectTwo,
  async 'menu of the list'(page, store) {
    await openList(page, store);
    await button(page, 'More').click();
    await button(page, 'Print the list').waitFor();
  },
  async columns(page, store) {
    await openList(page, store);
    await button(page, 'Columns').click();
    await page.getByRole('checkbox', { name: 'ID' }).waitFor();
  },
  async 'cell edited'(page, store) {
    await openList(page, store);
    await editCell(page);
    await page.getByRole('textbox', { name: 'Name' }).fill('Ficus elastica');
  },
  async 'cell edited, changed by another'(page, store) {
    await openList(page, store);
    await page.route(isOfApi, async (route) => {
      // The page hears of no change until it saves.
      if (route.request().url().includes('/changes')) await new Promise(() => undefined);
      await route.continue();
    });
    await page.reload();
    await editCell(page);
    await page.getByRole('textbox', { name: 'Name' }).fill('Ficus elastica');
    await put(store, { ...ficus, name: 'Ficus benjamina' }, { 'if-match': '*' });
    await page.keyboard.press('Enter');
    await page.getByText('Someone changed this plant while you were editing.').waitFor();
  },
  async 'tag chosen in a cell'(page, store) {
    await openList(page, store);
    await editCell(page);
    await page.getByRole('textbox', { name: 'Name' }).waitFor();
    await page.keyboard.press('Tab');
    await page.getByRole('combobox', { name: 'Tag' }).fill('s');
    await page.getByRole('option', { name: 'shrub' }).waitFor();
  },
  async 'delete all asked'(page, store) {
    await openList(page, store);
    await button(page, 'More').click();
    await page.getByRole('button', { name: /^Delete all/ }).click();
    await page.getByRole('dialog').waitFor();
  },
  async keys(page, store) {
    await openList(page, store);
    await page.getByRole('button', { name: 'Shortcuts' }).click();
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  },
  async access(page, store) {
    await openList(page, store);
    await openAccess(page);
    await button(page, 'Show QR code').click();
    await page.getByRole('img', { name: 'QR code' }).waitFor();
  },
  tokens: openTokens,
  async 'tokens, a new one'(page, store) {
    await openTokens(page, store);
    await page.getByText('Create a token').click();
    await page.getByLabel('Token name').fill('web shop');
    await page.getByLabel('See plants').check();
    await button(page, 'Create token').click();
    await button(page, 'Show QR code').click();
    await page.getByRole('img', { name: 'QR code' }).waitFor();
  },
  async tags(page, store) {
    await openList(page, store);
    await button(page, 'Edit tags').click();
    await page
      .getByRole('button', { name: /^Rename/ })
      .first()
      .waitFor();
  },
  async 'list filtered'(page, store) {
    await openList(page, store);
    await page.getByRole('searchbox').fill('ficus');
    await page.getByText(/^\d+ plants? found$/).waitFor();
  },
  async 'list filtered without a match'(page, store) {
    await openList(page, store);
    await page.getByRole('searchbox').fill('cactus');
    await page.getByText('No plant has “cactus” in its name').waitFor();
  },
  async 'list loading'(page, store) {
    await page.route(isOfApi, () => undefined);
    await fill(store);
    await page.goto(store.address);
    await page.getByText('Loading…').waitFor();
  },
  async 'service away'(page, store) {
    await fill(store);
    await page.route(isOfApi, (route) => route.abort());
    await page.goto(store.address);
    await page.getByText('The connection to the server failed').waitFor();
  },
  async 'service away, with rows'(page, store) {
    await openList(page, store);
    await page.route(isOfApi, (route) => route.abort());
    await page.getByRole('searchbox').fill('ficus');
    await page.getByText('The connection to the server failed').waitFor();
  },
  async 'token without read'(page, store) {
    await page.goto(`${store.baseUrl}/#token=${await store.issueToken('create')}`);
    await page.getByRole('alert').filter({ hasText: /\S/ }).waitFor();
  },
  plant: openFicus,
  async 'plant missing'(page, store) {
    await fill(store);
    await page.goto(store.address.replace('/#', '/p/404#'));
    await page.getByText('There is no plant 404.').waitFor();
  },
  async 'plant edited'(page, store) {
    await openFicus(page, store);
    await edit(page, 'Ficus elastica');
  },
  async 'plant edited, changed by another'(page, store) {
    await openFicus(page, store);
    await edit(page, 'Ficus elastica');
    await put(store, { ...ficus, name: 'Ficus benjamina' }, { 'if-match': '*' });
    await button(page, 'Save').click();
    await page.getByText('The current version is:').waitFor();
  },
  async 'plant deleted'(page, store) {
    await openFicus(page, store);
    await button(page, 'Delete').click();
    await button(page, 'Undo').waitFor();
  },
  async 'plants tagged'(page, store) {
    // Another one each time, since plants that have it are left alone.
    const tag = `bed ${Math.round(performance.now())}`;
    const selected = await selectTwo(page, store);
    await selected.getByRole('button', { name: 'Tag' }).click();
    await selected.getByRole('combobox').fill(tag);
    await page.keyboard.press('Enter');
    await page.getByText(tag, { exact: true }).and(page.locator('.undo-item bdi')).waitFor();
  },
  add: openAdd,
  async 'add, with a problem'(page, store) {
    await openAdd(page, store);
    await addPlant(page, { id: '9223372036854775808', name: 'Monstera' });
    await page.locator('[aria-invalid=true]').waitFor();
  },
  async 'add, id taken'(page, store) {
    await openAdd(page, store);
    await addPlant(page, { id: `${ficus.id}`, name: 'Monstera' });
    await button(page, 'Use an available ID').waitFor();
    await button(page, 'Open it').waitFor();
  },
  async 'add, stored'(page, store) {
    await openAdd(page, store);
    const id = `${Date.now()}`;
    await addPlant(page, { id, name: 'Hedera helix', tag: 'ivy' });
    await page.getByText(`Stored: Hedera helix, ID ${id}.`).waitFor();
  },
  'import, source': openImport,
  async 'import, source unreadable'(page, store) {
    await openImport(page, store);
    const empty = { name: 'empty.csv', mimeType: 'text/csv', buffer: Buffer.alloc(0) };
    await page.locator('input[type=file]').setInputFiles(empty);
    await page.getByRole('alert').filter({ hasText: /\S/ }).waitFor();
  },
  async 'import, columns'(page, store) {
    await openReview(page, store);
    await button(page, 'Back').click();
    await button(page, 'Review lines').waitFor();
  },
  async 'import, review'(page, store) {
    await openReview(page, store);
    await page.getByRole('form').first().waitFor();
  },
  async 'import, running'(page, store) {
    await openReview(page, store);
    await page.route(isOfApi, () => undefined);
    await addButton(page).click();
    await button(page, 'Cancel').waitFor();
  },
  async 'import, cancelled'(page, store) {
    await openReview(page, store);
    await page.route(isOfApi, () => undefined);
    await addButton(page).click();
    await button(page, 'Cancel').click();
    await button(page, 'Continue').waitFor();
  },
  async 'import, outcome'(page, store) {
    await openReview(page, store);
    await addButton(page).click();
    await page.getByRole('heading', { name: / added from / }).waitFor();
  },
  async 'part not loaded'(page, store) {
    await page.route(/\/assets\/import.*\.js$/, (route) => route.fulfill({ status: 404, body: '' }));
    await page.goto(importAddress(store));
    await page.getByText('Part of this page did not load').first().waitFor();
  },
};

export const states = Object.keys(openers);

/** Opens a state, whatever the page shows. */
export async function openState(name: string, page: Page, store: PlantStore): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  // A file of the origin, so that what the page has kept in the tab can be removed where nothing of it runs.
  await page.goto(`${store.baseUrl}/icon.svg`);
  await page.evaluate(() => {
    sessionStorage.clear();
    localStorage.clear();
  });
  await openers[name]?.(page, store);
}

const long = 'Monstera'.repeat(30);
/** The plant that is opened, edited and deleted. */
const ficus = { id: 100_000_000_007, name: 'Ficus carica', tag: 'tree' };

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
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

async function selectTwo(page: Page, store: PlantStore) {
  await openList(page, store);
  for (const index of [0, 2]) await page.locator('.plant-row .plant-select').nth(index).click();
  const selected = page.getByRole('region', { name: 'Selected plants' });
  await selected.waitFor();
  return selected;
}

/** Begins to edit the name of the plant in its cell. */
async function editCell(page: Page): Promise<void> {
  await row(page, ficus.name).focus();
  await page.keyboard.press('F2');
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

async function openImport(page: Page, store: PlantStore): Promise<void> {
  await page.goto(importAddress(store));
  await button(page, 'Choose file').waitFor();
}

/** Opens the review of a file with new plants, and lines with a problem. */
async function openReview(page: Page, store: PlantStore): Promise<void> {
  await openImport(page, store);
  await chooseFile(page, makePlantsFile(40, { faultyEvery: 10, firstId: BigInt(Date.now()) }));
}

async function openTokens(page: Page, store: PlantStore): Promise<void> {
  await fill(store);
  await page.goto(`${store.baseUrl}/#token=${await store.issueToken('create,read,update,delete,admin')}`);
  await openAccess(page);
  await button(page, 'Manage tokens').click();
  await page.getByRole('dialog', { name: 'Tokens' }).getByText('quickstart').first().waitFor();
}
