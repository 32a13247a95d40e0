import { expect, it } from 'vitest';
import { until } from '../../support/until.js';
import { setUp } from './support/set-up.js';
import { tabTo } from './support/use-page.js';

const shared = setUp();
const count = 2_000;

it('finds, opens, edits, deletes and restores a plant among thousands, by keyboard alone', async () => {
  for (const first of [1, count / 2 + 1]) {
    const ids = Array.from({ length: count / 2 }, (_, index) => first + index);
    const plants = ids.map((id) => ({ id, name: `plant ${id}`, tag: 'bed' }));
    expect((await shared.store.send('/plants/batch', { plants })).status).toBe(200);
  }
  const { page, messages, violations } = await shared.openTab();
  await page.goto(shared.store.address);
  const row = (name: string) => page.getByRole('row', { name });
  await row('plant 2000').waitFor();

  // To the last row, page after page.
  await tabTo(row('plant 2000'));
  await until(async () => {
    await page.keyboard.press('End');
    return row('plant 1 bed').isVisible();
  });
  expect(await page.getByRole('grid').getAttribute('aria-rowcount')).toBe(String(count + 1));
  await page.getByText('2,000 plants').waitFor();
  expect(await page.getByRole('row').count()).toBeLessThan(60);

  // By a part of its name, then by its id.
  await page.keyboard.press('Shift+Tab');
  await tabTo(page.getByRole('searchbox'));
  await page.keyboard.type('ANT 1123');
  await page.getByText('1 plant found').waitFor();
  expect(new URL(page.url()).search).toBe('?q=ANT+1123');
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type('1124');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'plant 1124' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/p/1124');

  await tabTo(page.getByRole('button', { name: 'Edit', exact: true }));
  await page.keyboard.press('Enter');
  await page.getByRole('textbox', { name: 'Name' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.type(' a');
  await page.keyboard.press('Enter');
  await page.getByText('Saved.').waitFor();
  await page.getByRole('heading', { name: 'plant 1124 a' }).waitFor();

  const remove = page.getByRole('button', { name: 'Delete' });
  await tabTo(remove);
  await page.keyboard.press('Enter');
  const undo = page.locator('.undo-item', { hasText: 'Delet' }).getByRole('button', { name: 'Undo' });
  await tabTo(undo);
  await page.keyboard.press('Enter');
  await undo.waitFor({ state: 'detached' });
  expect(shared.store.readPlants().filter(({ name }) => name === '')).toEqual([]);

  await page.goBack();
  await tabTo(remove);
  await page.keyboard.press('Enter');
  // The request goes when the document is left.
  await page.goto(`${shared.store.baseUrl}/p/1124`);
  await page.getByRole('alert').filter({ hasText: 'There is no plant 1124.' }).waitFor();
  // Once more where the list still had the plant.
  expect(messages.filter((message) => !message.includes('404'))).toEqual([]);
  expect([messages.length > 0, violations]).toEqual([true, []]);
});

it('prints all plants of the list with the titles on each page, and nothing else of the page', async () => {
  const ids = Array.from({ length: 120 }, (_, index) => 700_000 + index);
  const plants = ids.map((id) => ({ id, name: `paper ${id}`, tag: 'paper' }));
  await shared.store.send('/plants/batch', { plants });
  const { page } = await shared.openTab({ colorScheme: 'dark' });
  await page.goto(shared.store.address.replace('/#', '/?tag=paper#'));
  await page.getByText('120 plants found').waitFor();
  await page.emulateMedia({ media: 'print' });
  const dispatch = (type: string) => page.evaluate((name) => window.dispatchEvent(new Event(name)), type);
  const printed = page.locator('.print-list');
  // What is printed is loaded after the rows.
  await until(async () => (await dispatch('beforeprint')) && (await printed.count()) === 1);
  expect(await printed.locator('tbody tr').filter({ visible: true }).count()).toBe(120);
  expect(await page.locator('button').filter({ visible: true }).count()).toBe(0);
  await dispatch('afterprint');
  const file = await page.pdf({ format: 'A4' });
  // None of the pages is blank behind the last row.
  expect(file.toString('latin1').match(/\/Type \/Page\b/g)?.length).toBeOneOf([3, 4, 5]);
  expect(await printed.count()).toBe(0);
});
