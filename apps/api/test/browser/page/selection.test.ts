import type { Page } from 'playwright-core';
import { beforeEach, expect, it } from 'vitest';
import { until } from '../../support/until.js';
import { setUp } from './support/set-up.js';

const shared = setUp();
const count = 40;

let page: Page;
let clicks: number;

/** The plants 1 to 40, the newest first, by what is pressed with a mouse from then on. */
beforeEach(async () => {
  const ids = Array.from({ length: count }, (_, at) => at + 1);
  const plants = ids.map((id) => ({ id, name: `plant ${id}`, tag: 'bed' }));
  expect((await shared.store.send('/plants/batch', { plants })).status).toBe(200);
  ({ page } = await shared.openTab());
  clicks = 0;
  await page.exposeFunction('countClick', () => {
    clicks++;
  });
  await page.addInitScript(() => {
    const { countClick } = globalThis as unknown as { countClick(): void };
    document.addEventListener('pointerdown', () => countClick(), { capture: true });
  });
  await page.goto(shared.store.address);
  await row(count).waitFor();
});

const row = (number: number) => page.getByRole('row', { name: `plant ${number} bed` });
const stored = () => shared.store.readPlants().map(({ name }) => name);

it('adds a plant by 1 click, and the next, with the same tag, by none', async () => {
  await page.getByRole('link', { name: 'Add plant' }).click();
  const name = page.getByRole('textbox', { name: 'Name' });
  await name.and(page.locator(':focus')).waitFor();
  await page.keyboard.type('Ivy');
  await page.keyboard.press('Tab');
  await page.keyboard.type('shade');
  await page.keyboard.press('Enter');
  await page.getByRole('listitem').filter({ hasText: 'Ivy' }).getByText('stored').waitFor();
  await name.and(page.locator(':focus')).waitFor();
  await page.keyboard.type('Fern');
  await page.keyboard.press('Enter');
  await page.getByRole('listitem').filter({ hasText: 'Fern' }).getByText('stored').waitFor();
  expect(clicks).toBe(1);
  const added = shared.store.readPlants().filter(({ name: text }) => /Ivy|Fern/.test(text));
  expect(added.map(({ tag }) => tag)).toEqual(['shade', 'shade']);
});

it('edits a name in its place by 1 click and Enter, and undoes that by Ctrl+Z', async () => {
  await row(38).hover();
  await row(38).locator('.plant-actions button').click();
  await page.getByRole('textbox', { name: 'Name' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('End');
  await page.keyboard.type(' of mine');
  await page.keyboard.press('Enter');
  await page.getByText('Name edited:').waitFor();
  expect([clicks, stored().includes('plant 38 of mine')]).toEqual([1, true]);
  await page.keyboard.press('ControlOrMeta+Z');
  await page.getByText('Undone:').waitFor();
  expect([clicks, stored().includes('plant 38 of mine')]).toEqual([1, false]);
});

it('edits cells one after the other by keys', async () => {
  await row(39).focus();
  await page.keyboard.press('F2');
  await page.getByRole('textbox', { name: 'Name' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.type('Ash');
  await page.keyboard.press('ArrowDown');
  await until(() => stored().includes('Ash'));
  await page.getByRole('textbox', { name: 'Name' }).and(page.locator(':focus')).waitFor();
  expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('plant 38');
  await page.keyboard.press('Tab');
  await page.getByRole('combobox', { name: 'Tag' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.type('hedge');
  await page.keyboard.press('Enter');
  await page.getByRole('row', { name: 'plant 38 hedge' }).and(page.locator(':focus')).waitFor();
  expect(clicks).toBe(0);
});

it('finds a plant by its id by no click after it is typed', async () => {
  await page.keyboard.press('/');
  await page.keyboard.type('17');
  const first = page.getByRole('row').nth(1);
  await until(async () => (await first.textContent())?.startsWith('plant 17') === true);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'plant 17' }).waitFor();
  expect(clicks).toBe(0);
});

it('deletes 30 plants at once by 4 clicks at most, undoes that by 1, and once more in the tab that closes', async () => {
  const selectThirty = async () => {
    await page.mouse.wheel(0, -5_000);
    await row(35).getByRole('checkbox').click();
    await page.mouse.wheel(0, 5_000);
    await row(6)
      .getByRole('checkbox')
      .click({ modifiers: ['Shift'] });
    await page.getByText('30 selected', { exact: true }).last().waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Deleting 30 plants').waitFor();
    // The focus stays in the list.
    await page.locator('tr:focus').waitFor();
  };
  await selectThirty();
  expect(clicks).toBeLessThanOrEqual(4);
  await row(20).waitFor({ state: 'detached' });
  const before = stored().length;
  await page.getByRole('button', { name: 'Undo' }).click();
  await row(20).waitFor();
  expect(stored()).toHaveLength(before);

  await selectThirty();
  await page.goto('about:blank');
  await until(() => !stored().some((name) => /^plant (6|20|35)$/.test(name)));
  expect(stored().filter((name) => /^plant (5|36)$/.test(name))).toHaveLength(2);
});

it('tags plants, undoes that by 1 click, and has all that it does with them in one row on a phone', async () => {
  await page.setViewportSize({ width: 320, height: 700 });
  await page.getByRole('button', { name: 'Select' }).click();
  await page.getByRole('row').nth(1).click();
  const bar = page.getByRole('region', { name: 'Selected plants' });
  await bar.waitFor();
  // In one frame, since the bar moves as it appears.
  const tops = await bar
    .getByRole('button', { name: /^(Tag|Delete|Clear)$/ })
    .evaluateAll((buttons) => buttons.map((button) => button.getBoundingClientRect().y));
  expect(tops).toHaveLength(3);
  expect(new Set(tops).size).toBe(1);
  await page.setViewportSize({ width: 1_000, height: 700 });
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  await page.getByText('3 selected', { exact: true }).last().waitFor();
  await bar.getByRole('button', { name: 'Tag', exact: true }).click();
  await page.getByRole('combobox', { name: 'Tag' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.type('herb');
  await page.keyboard.press('Enter');
  await page.locator('.undo-item').filter({ hasText: '3 plants tagged herb.' }).waitFor();
  const herbs = () => shared.store.readPlants().filter(({ tag }) => tag === 'herb');
  expect(herbs()).toHaveLength(3);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Restored the tags of').waitFor();
  expect(herbs()).toEqual([]);
});

it('selects by keys, which are those of the list of keys', async () => {
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Select a range').waitFor();
  await page.keyboard.press('Escape');
  await row(40).focus();
  await page.keyboard.press('Space');
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+End');
  expect(await page.getByRole('grid').getAttribute('aria-multiselectable')).toBe('true');
  const selected = page.getByRole('region', { name: 'Selected plants' });
  await selected.getByText(/^\d+ selected$/).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('ControlOrMeta+A');
  await selected.waitFor();
  expect(clicks).toBe(0);
});
