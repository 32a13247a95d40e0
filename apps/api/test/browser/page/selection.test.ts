import type { Page } from 'playwright-core';
import { beforeEach, expect, it } from 'vitest';
import { until } from '../../support/until.js';
import { setUp } from './support/set-up.js';

const shared = setUp();
const count = 40;

let page: Page;

/** The plants 1 to 40, the newest first. */
beforeEach(async () => {
  const ids = Array.from({ length: count }, (_, at) => at + 1);
  const plants = ids.map((id) => ({ id, name: `plant ${id}`, tag: 'bed' }));
  expect((await shared.store.send('/plants/batch', { plants })).status).toBe(200);
  ({ page } = await shared.openTab());
  await page.goto(shared.store.address);
  await row(count).waitFor();
});

const row = (number: number) => page.getByRole('row', { name: `plant ${number} bed` });
const stored = () => shared.store.readPlants().map(({ name }) => name);

it('deletes 30 plants at once, undoes that, and deletes them in the tab that closes', async () => {
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

it('has all that it does with plants in one row on a phone', async () => {
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
});
