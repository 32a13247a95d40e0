import type { BrowserContextOptions, Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { setUp } from './support/set-up.js';

const shared = setUp();

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const smallPhone = { ...phone, viewport: { width: 360, height: 740 } };

beforeAll(async () => {
  const plants = Array.from({ length: 1_000 }, (_, index) => ({
    id: `-9223372036854${String(774_808 - index).padStart(6, '0')}`,
    name: `${'Monstera '.repeat(1 + (index % 20))}${index}`,
    tag: 'houseplant'.repeat(1 + (index % 10)),
  }));
  // By hand, since JSON.stringify has no numbers as large as these ids.
  const lines = plants.map(({ id, ...texts }) => `{"id":${id},${JSON.stringify(texts).slice(1)}`);
  const reply = await fetch(`${shared.store.baseUrl}/plants/batch`, {
    method: 'POST',
    headers: { authorization: `Bearer ${shared.store.token}`, 'content-type': 'application/json' },
    body: `{"plants":[${lines.join()}]}`,
  });
  expect(reply.status).toBe(200);
});

async function openPlants(options: BrowserContextOptions): Promise<Page> {
  const { page } = await shared.openTab(options);
  await page.goto(shared.store.address);
  await page.getByRole('row', { name: 'Monstera' }).first().waitFor();
  return page;
}

it.each([
  { name: 'desktop', window: { viewport: { width: 1280, height: 800 } }, rows: 17, begin: 140 },
  { name: 'desktop at 200 % zoom', window: { viewport: { width: 640, height: 400 } }, rows: 2, begin: 176 },
  { name: 'phone', window: phone, rows: 8, begin: 176 },
  { name: 'small phone', window: smallPhone, rows: 6, begin: 176 },
])('shows at least $rows plants, and one scrollbar: $name', async ({ window: shown, rows, begin }) => {
  const page = await openPlants(shown);
  const found = await page.evaluate(() => {
    const tops = [...document.querySelectorAll('.plant-row')].map((row) => row.getBoundingClientRect());
    const { scrollHeight, scrollWidth } = document.documentElement;
    return {
      first: Math.min(...tops.map(({ top }) => top)),
      whole: tops.filter(({ bottom }) => bottom <= innerHeight).length,
      beyond: [scrollHeight - innerHeight, scrollWidth - innerWidth],
    };
  });
  expect(found.first).toBeLessThan(begin);
  expect(found.whole).toBeGreaterThanOrEqual(rows);
  expect(found.beyond).toEqual([0, 0]);
});

it('has the rows as high as their texts, on one baseline, with tags that are cut off within their shape', async () => {
  const page = await openPlants({ viewport: { width: 1280, height: 800 } });
  const found = await page.locator('.plant-row').evaluateAll((rows) =>
    rows.map((row) => {
      const { top } = row.getBoundingClientRect();
      const baselines = [...row.querySelectorAll('.plant-name, .plant-added, .plant-id code')].map((cell) => {
        const marker = document.createElement('span');
        marker.style.cssText = 'display: inline-block; width: 1px';
        cell.prepend(marker);
        const { bottom } = marker.getBoundingClientRect();
        marker.remove();
        return Math.round(bottom - top);
      });
      const [tag, cell] = [row.querySelector('.tag'), row.querySelector('.plant-tag')];
      const isWithin =
        (tag?.getBoundingClientRect().right ?? 0) <= (cell?.getBoundingClientRect().right ?? 0);
      return { height: row.clientHeight, baselines: [...new Set(baselines)].length, isWithin };
    }),
  );
  expect(found.length).toBeGreaterThan(17);
  for (const each of found) expect(each).toEqual({ height: 39, baselines: 1, isWithin: true });
});

it.each([
  { name: 'mouse', window: { viewport: { width: 1280, height: 800 } }, least: 24 },
  { name: 'finger', window: phone, least: 44 },
])('has targets that a $name hits: at least $least px', async ({ window: shown, least }) => {
  const page = await openPlants(shown);
  const tooSmall = () =>
    page.locator(':is(button, a, input, select):visible').evaluateAll(
      (controls, size) =>
        controls
          // The titles of the columns are for screen readers alone on a phone.
          .filter((control) => {
            const head = control.closest('.plant-head');
            return head === null || getComputedStyle(head).clipPath === 'none';
          })
          .map((control) => control.closest('label, .plant-select') ?? control)
          .map((control) => ({ control, box: control.getBoundingClientRect() }))
          .filter(({ box }) => box.width > 0 && Math.min(box.width, box.height) < size - 0.5)
          .map(({ control, box }) => `${control.textContent} ${box.width} × ${box.height}`),
      least,
    );
  expect(await tooSmall()).toEqual([]);
  await page
    .getByRole('row', { name: 'Monstera' })
    .first()
    .click({ position: { x: 40, y: 12 } });
  await page.getByRole('button', { name: 'Delete' }).waitFor();
  expect(await tooSmall()).toEqual([]);
});
