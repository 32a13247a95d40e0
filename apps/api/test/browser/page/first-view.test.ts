import { expect, it } from 'vitest';
import { until } from '../../support/until.js';
import { setUp } from './support/set-up.js';
import { addPlant, field, openImport } from './support/use-page.js';

const shared = setUp();

it('loads the code of the import only once it is opened', async () => {
  const { page, requests } = await shared.openTab();
  await page.goto(shared.store.formAddress);
  await field(page, 'Name').waitFor();
  // The last thing that it loads by itself is that by which it follows changes.
  await until(() => requests.some((request) => request.url().includes('wait=')));
  const loaded = () => requests.filter((request) => /import|papaparse|worker/.test(request.url()));
  expect(loaded().map((request) => request.url())).toEqual([]);
  await openImport(page);
  await page.getByRole('button', { name: /Choose file/ }).waitFor();
  await until(() => loaded().length > 0);
});

it.each([1_280, 360])('shifts no layout while it loads and shows messages: %i px', async (width) => {
  const tab = await shared.openTab({ viewport: { width, height: 900 } });
  const { page } = tab;
  // Chromium leaves out of the score what moves within half a second after a key, so that places count as well.
  const readPlaces = () =>
    page.locator('dialog form :is(label, input, button)').evaluateAll((elements) =>
      elements.map((element) => {
        const { left, top } = element.getBoundingClientRect();
        const scrolled = element.closest('dialog')?.scrollTop ?? 0;
        // After the first plant the button adds another.
        const text = element.textContent.replace(' another', '');
        return `${text} ${left}, ${top + scrolled}`;
      }),
    );
  await page.goto(shared.store.formAddress);
  await page.getByRole('button', { name: 'Change the ID' }).click();
  const places = await readPlaces();
  expect(places).toHaveLength(8);
  await addPlant(page, { id: '9223372036854775808', name: 'Monstera' });
  await until(async () => (await field(page, 'ID').getAttribute('aria-invalid')) === 'true');
  expect(await readPlaces()).toEqual(places);
  await addPlant(page, { id: `${width}`, name: 'Monstera' });
  await page.getByRole('listitem').getByText('stored').waitFor();
  expect(await readPlaces()).toEqual(places);
  expect(tab.layoutShift).toBe(0);
});
