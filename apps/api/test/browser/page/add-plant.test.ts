import { expect, it, onTestFinished } from 'vitest';
import { openTab } from './support/open-tab.js';
import { setUp } from './support/set-up.js';
import { addPlant, describedBy, field, tabTo } from './support/use-page.js';

const shared = setUp();

const largest = { id: '9223372036854775807', name: 'Monstera' };
const smallest = { id: '-9223372036854775808', name: 'Fern', tag: 'shade' };

async function openPrinted() {
  const tab = await openTab(shared.browser);
  onTestFinished(() => tab.close());
  await tab.page.goto(shared.store.formAddress);
  await field(tab.page, 'Name').waitFor();
  return tab;
}

it('opens at the printed address, and takes the token out of it and out of the history', async () => {
  const { page } = await openTab(shared.browser);
  onTestFinished(() => page.context().close());
  await page.goto(`${shared.store.baseUrl}/docs`);
  const entries = await page.evaluate(() => history.length);
  await page.goto(shared.store.address);
  await page.getByRole('searchbox').waitFor();
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

it('stores the largest and the smallest id exactly, by keyboard alone, newest first', async () => {
  const { page } = await openPrinted();
  await addPlant(page, largest);
  await page.getByRole('listitem').filter({ hasText: largest.id }).getByText('stored').waitFor();
  await addPlant(page, smallest);
  await page.getByRole('listitem').filter({ hasText: smallest.id }).getByText('stored').waitFor();
  expect(shared.store.readPlants()).toEqual([smallest, { ...largest, tag: null }]);
  const listed = await page.getByRole('listitem').allInnerTexts();
  expect(listed.map((text) => /-?\d{19}/.exec(text)?.[0])).toEqual([smallest.id, largest.id]);
});

it('shows that the same plant was there already, and what to do about a taken id', async () => {
  const { page } = await openPrinted();
  await addPlant(page, largest);
  await page.getByRole('listitem').getByText('was there already').waitFor();
  await addPlant(page, { ...largest, name: 'Ficus' });
  await page.getByRole('listitem').filter({ hasText: 'Ficus' }).getByText('rejected').waitFor();
  const id = field(page, 'Id');
  expect(await id.getAttribute('aria-invalid')).toBe('true');
  expect(await describedBy(id)).toMatch(/taken|another/i);
  expect(await field(page, 'Name').inputValue()).toBe('Ficus');
  await page.getByText('The plant with the id 9223372036854775807: Monstera').waitFor();
  await tabTo(page.getByRole('button', { name: 'Use a free id' }));
  await page.keyboard.press('Enter');
  expect(await id.inputValue()).toMatch(/^\d{12}$/);
  await page.keyboard.press('Enter');
  await page.getByText(/^Stored: Ficus/).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('row', { name: /^Ficus/ }).waitFor();
});
