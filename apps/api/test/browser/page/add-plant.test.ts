import { expect, it } from 'vitest';
import { setUp } from './support/set-up.js';
import { addPlant, describedBy, field, tabTo } from './support/use-page.js';

const shared = setUp();

const largest = { id: '9223372036854775807', name: 'Monstera' };
const smallest = { id: '-9223372036854775808', name: 'Fern', tag: 'shade' };

async function open(address: string) {
  const { page } = await shared.openTab();
  await page.goto(address);
  return page;
}

it('opens at the printed address, and takes the token out of it and out of the history', async () => {
  const page = await open(`${shared.store.baseUrl}/docs`);
  const entries = await page.evaluate(() => history.length);
  await page.goto(shared.store.address);
  // A store without plants has a search only while they are loading.
  await page.locator('.status-bar', { hasText: /\d plants?/ }).waitFor({ state: 'attached' });
  expect(page.url()).toBe(`${shared.store.baseUrl}/`);
  expect(await page.evaluate(() => history.length)).toBe(entries + 1);
  const session = await page.context().newCDPSession(page);
  const { entries: history } = await session.send('Page.getNavigationHistory');
  expect(history.map(({ url }) => url).join(' ')).not.toContain('pst_');
  await page.goBack();
  expect(page.url()).toBe(`${shared.store.baseUrl}/docs`);
  await page.goForward();
  expect(page.url()).toBe(`${shared.store.baseUrl}/`);
});

it('stores the largest and the smallest id exactly, by keyboard alone, and a free one for one that is taken', async () => {
  const page = await open(shared.store.formAddress);
  const listed = (text: string) => page.getByRole('listitem').filter({ hasText: text });
  await addPlant(page, largest);
  await listed(largest.id).getByText('stored').waitFor();
  await addPlant(page, smallest);
  await listed(smallest.id).getByText('stored').waitFor();
  expect(shared.store.readPlants()).toEqual([smallest, { ...largest, tag: null }]);
  const texts = await page.getByRole('dialog').getByRole('listitem').allInnerTexts();
  expect(texts.map((text) => /-?\d{19}/.exec(text)?.[0])).toEqual([smallest.id, largest.id]);

  await addPlant(page, { ...largest, name: 'Ficus' });
  await listed('Ficus').getByText('rejected').waitFor();
  const id = field(page, 'ID');
  expect(await id.getAttribute('aria-invalid')).toBe('true');
  expect(await describedBy(id)).toMatch(/taken|another/i);
  await page.getByText('Plant with ID 9223372036854775807: Monstera').waitFor();
  await tabTo(page.getByRole('button', { name: 'Use an available ID' }));
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await page.getByText(/^Stored: Ficus/).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('row', { name: 'Ficus' }).waitFor();
});
