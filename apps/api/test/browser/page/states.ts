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

/** Goes to one state from another one. */
const after =
  (first: (page: Page, store: PlantStore) => Promise<void>) =>
  (open: State['open']): State['open'] =>
  async (page, store) => {
    await first(page, store);
    return open(page, store);
  };
const [inList, ofPlant] = [after(openList), after(openFicus)];
const [inAdd, inImport] = [after(openAdd), after(openImport)];

/** Those of a store without plants come first; each can be opened again, from any later one. */
const opens: Readonly<Record<string, State['open']>> = {
  async 'no token'(page, { baseUrl, token }) {
    await page.goto(baseUrl);
    await button(page, 'Use token').waitFor();
    return () => useToken(page, token);
  },
  async 'token refused'(page, { baseUrl, token }) {
    await page.goto(baseUrl);
    // It has the form of a JSON Web Token, so that the service is asked.
    await page.getByLabel('Access token').fill('no.such.token');
    await button(page, 'Use token').click();
    await page.locator('[aria-invalid=true]').waitFor();
    return () => useToken(page, token);
  },
  async 'list empty'(page, { address }) {
    await page.goto(address);
    await page.getByText('Every plant, in one list').waitFor();
    return async () => {
      await page.getByRole('button', { name: 'Look around first' }).click();
      await page.getByText('20 plants').waitFor();
    };
  },
  list: inList(async (page) => {
    return async () => {
      await row(page, ficus.name).locator('.plant-name').click();
      await page.getByRole('heading', { name: ficus.name }).waitFor();
    };
  }),
  'list, selected': inList(async (page) => {
    for (const index of [0, 2]) await page.locator('.plant-row .plant-select').nth(index).click();
    await page.getByRole('region', { name: 'Selected plants' }).waitFor();
    return async () => {
      await button(page, 'Clear').click();
      await page.getByRole('region', { name: 'Selected plants' }).waitFor({ state: 'detached' });
    };
  }),
  'menu of the list': inList(async (page) => {
    await button(page, 'More').click();
    await button(page, 'Print the list').waitFor();
    return async () => {
      await page.keyboard.press('Escape');
      await button(page, 'Print the list').waitFor({ state: 'hidden' });
    };
  }),
  columns: inList(async (page) => {
    await button(page, 'Columns').click();
    await page.getByRole('checkbox', { name: 'Id' }).waitFor();
    return async () => {
      await page.getByRole('checkbox', { name: 'Id' }).check();
      await page.getByRole('columnheader', { name: 'Id' }).waitFor();
      await button(page, 'Reset columns').click();
    };
  }),
  'cell edited': inList(async (page) => {
    await row(page, ficus.name).focus();
    await page.keyboard.press('F2');
    await page.getByRole('textbox', { name: 'Name' }).fill('Ficus elastica');
    return async () => {
      await page.keyboard.press('Enter');
      await page.getByText('Name edited:').waitFor();
      await row(page, 'Ficus elastica').waitFor();
    };
  }),
  'cell edited, changed by another': inList(async (page, store) => {
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
  }),
  'tag chosen in a cell': inList(async (page) => {
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
  }),
  'delete all asked': inList(async (page) => {
    await button(page, 'More').click();
    await page.getByRole('button', { name: /^Delete all/ }).click();
    await page.getByRole('dialog').waitFor();
    return async () => {
      await button(page, 'Keep them').click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    };
  }),
  keys: inList(async (page) => {
    await page.getByRole('button', { name: 'Keys' }).click();
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    return () => close(page);
  }),
  access: inList(async (page) => {
    await openAccess(page);
    await button(page, 'Show QR code').click();
    await page.getByRole('img', { name: 'QR code' }).waitFor();
    return () => close(page);
  }),
  async tokens(page, store) {
    await openTokens(page, store);
    return async () => {
      await page.getByRole('button', { name: /^Revoke ?: quickstart/ }).click();
      await page.getByText('Revoke for good').waitFor();
    };
  },
  async 'tokens, a new one'(page, store) {
    await openTokens(page, store);
    await page.getByText('Create a token').click();
    await page.getByLabel('Who or what uses it').fill('web shop');
    await page.getByLabel('See plants').check();
    await button(page, 'Create token').click();
    await button(page, 'Show QR code').click();
    await page.getByRole('img', { name: 'QR code' }).waitFor();
    return async () => {
      await button(page, 'I saved it').click();
      await page.getByText('Copy it now').waitFor({ state: 'detached' });
    };
  },
  tags: inList(async (page) => {
    await button(page, 'Edit tags').click();
    const rename = page.getByRole('button', { name: /^Rename/ });
    await rename.first().waitFor();
    return () => close(page);
  }),
  'list filtered': inList(async (page) => {
    await page.getByRole('searchbox').fill('ficus');
    await page.getByText(/^\d+ plants? found$/).waitFor();
    return async () => {
      await page.getByRole('searchbox').fill('');
      await page.getByText(/^\d+ plants$/).waitFor();
    };
  }),
  'list filtered without a match': inList(async (page) => {
    await page.getByRole('searchbox').fill('cactus');
    await page.getByText('No plant has “cactus” in its name').waitFor();
    return async () => {
      await button(page, 'Show all plants').click();
      await row(page, ficus.name).waitFor();
    };
  }),
  async 'list loading'(page, store) {
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
  async 'service away'(page, store) {
    await fill(store);
    await loseRequests(page);
    await page.goto(store.address);
    await page.getByText('The connection to the server failed').waitFor();
    return () => comeBack(page);
  },
  'service away, with rows': inList(async (page) => {
    await loseRequests(page);
    await page.getByRole('searchbox').fill('ficus');
    await page.getByText('The connection to the server failed').waitFor();
    return () => comeBack(page);
  }),
  async 'token without read'(page, store) {
    await page.goto(`${store.baseUrl}/#token=${await store.issueToken('create')}`);
    await page.getByRole('alert').filter({ hasText: /\S/ }).waitFor();
    return async () => {
      await forgetToken(page);
      await useToken(page, store.token);
    };
  },
  plant: ofPlant(async (page) => {
    return async () => {
      await button(page, 'Delete').click();
      await button(page, 'Undo').waitFor();
      await row(page, ficus.name).waitFor({ state: 'detached' });
    };
  }),
  async 'plant missing'(page, store) {
    await fill(store);
    await page.goto(store.address.replace('/#', '/p/404#'));
    await page.getByText('There is no plant 404.').waitFor();
    return () => button(page, 'Close').click();
  },
  'plant edited': ofPlant(async (page) => {
    await edit(page, 'Ficus elastica');
    return async () => {
      await button(page, 'Save').click();
      await page.getByText('Saved.').waitFor();
      await page.getByRole('heading', { name: 'Ficus elastica' }).waitFor();
    };
  }),
  'plant edited, changed by another': ofPlant(async (page, store) => {
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
  }),
  'plant deleted': ofPlant(async (page) => {
    await button(page, 'Delete').click();
    await button(page, 'Undo').waitFor();
    return async () => {
      await button(page, 'Undo').click();
      await button(page, 'Undo').waitFor({ state: 'detached' });
      await row(page, ficus.name).waitFor();
    };
  }),
  'plants tagged': inList(async (page) => {
    // Another one each time, since plants that have it are left alone.
    const tag = `bed ${Math.round(performance.now())}`;
    for (const index of [0, 2]) await page.locator('.plant-row .plant-select').nth(index).click();
    const selected = page.getByRole('region', { name: 'Selected plants' });
    await selected.getByRole('button', { name: 'Tag' }).click();
    await selected.getByRole('combobox').fill(tag);
    await page.keyboard.press('Enter');
    const undo = page.locator('.undo-item', { hasText: `2 plants tagged ${tag}.` });
    await undo.waitFor();
    return async () => {
      await button(page, 'Undo').click();
      await page.getByText('have their tags back').waitFor();
    };
  }),
  add: inAdd(async (page) => () => addNew(page)),
  'add, with a problem': inAdd(async (page) => {
    await addPlant(page, { id: '9223372036854775808', name: 'Monstera' });
    await page.locator('[aria-invalid=true]').waitFor();
    return () => addNew(page);
  }),
  'add, id taken': inAdd(async (page) => {
    await addPlant(page, { id: `${ficus.id}`, name: 'Monstera' });
    await button(page, 'Use a free id').waitFor();
    await button(page, 'Open it').waitFor();
    return async () => {
      await button(page, 'Use a free id').click();
      await page.keyboard.press('Enter');
      await page.getByText(/^Stored: Monstera/).waitFor();
    };
  }),
  'add, stored': inAdd(async (page) => {
    await addNew(page);
    return async () => {
      await addNew(page);
      await close(page);
      await row(page, ficus.name).waitFor();
    };
  }),
  'import, source': inImport(async (page) => () => chooseFile(page, makeFile())),
  'import, source unreadable': inImport(async (page) => {
    const empty = { name: 'empty.csv', mimeType: 'text/csv', buffer: Buffer.alloc(0) };
    await page.locator('input[type=file]').setInputFiles(empty);
    await page.getByRole('alert').filter({ hasText: /\S/ }).waitFor();
    return () => chooseFile(page, makeFile());
  }),
  'import, columns': inImport(async (page) => {
    await chooseFile(page, makeFile());
    await button(page, 'Back').click();
    await button(page, 'Review lines').waitFor();
    return async () => {
      await button(page, 'Review lines').click();
      await addButton(page).waitFor();
    };
  }),
  'import, review': inImport(async (page) => {
    await chooseFile(page, makeFile());
    await page.getByRole('form').first().waitFor();
    return async () => {
      await page.getByRole('button', { name: /^New/ }).click();
      await page.getByRole('form').first().waitFor({ state: 'detached' });
      await page.getByRole('button', { name: /^Problems/ }).click();
      const line = page.getByRole('form').first();
      await line.getByLabel('Id').fill('123456');
      await line.getByLabel('Name').fill('Hedera helix');
      await line.getByLabel('Name').press('Enter');
      await page.getByRole('button', { name: 'Problems 3' }).waitFor();
    };
  }),
  'import, running': inImport(async (page) => {
    await chooseFile(page, makeFile());
    const answer = await holdRequests(page);
    await addButton(page).click();
    await button(page, 'Cancel').waitFor();
    return async () => {
      answer();
      await outcome(page).waitFor();
    };
  }),
  'import, cancelled': inImport(async (page) => {
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
  }),
  'import, outcome': inImport(async (page) => {
    await chooseFile(page, makeFile());
    await addButton(page).click();
    await outcome(page).waitFor();
    return async () => {
      await page.getByRole('link', { name: 'View plants' }).click();
      await page.getByRole('grid').waitFor();
    };
  }),
  async 'part not loaded'(page, store) {
    await page.route(/\/assets\/import.*\.js$/, (route) => route.fulfill({ status: 404, body: '' }));
    await page.goto(importAddress(store));
    await page.getByText('Part of this page did not load').first().waitFor();
    return async () => {
      await page.unrouteAll();
      await button(page, 'Reload the page').click();
      await button(page, 'Choose file').waitFor();
    };
  },
};

/** All states of the page, for tests and pictures. */
export const states: readonly State[] = Object.entries(opens).map(([name, open]) => ({ name, open }));

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
  const [unnamed, oak] = [
    { id: 1, name: '' },
    { id: 3, name: 'بلوط', tag: 'bed' },
  ];
  const plants = [...many, unnamed, { id: 2, name: long, tag: long }, oak, ficus];
  await store.send('/plants/batch', { plants });
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
  await page.getByText(`Stored: Hedera helix, id ${id}.`).waitFor();
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
