import { expect, it } from 'vitest';
import { until } from '../../support/until.js';
import { setUp } from './support/set-up.js';
import { addPlant, field, openImport } from './support/use-page.js';

const shared = setUp();

const scriptBudgetBytes = 109_000;

it(`shows the form with less than ${scriptBudgetBytes} bytes of script, compressed, zod not among them`, async () => {
  const { page, requests } = await shared.openTab();
  const scripts = () => requests.filter((request) => request.resourceType() === 'script');
  // What the markup loads; what is loaded later waits for an idle moment or a focus.
  const response = await page.goto(shared.store.baseUrl);
  const html = (await response?.text()) ?? '';
  await page.getByRole('button', { name: 'Use token' }).waitFor();
  const first = scripts().filter((request) => html.includes(new URL(request.url()).pathname));
  const sizes = await Promise.all(first.map((request) => request.sizes()));
  const bytes = sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0);
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThan(scriptBudgetBytes);
  for (const request of first)
    expect(await (await request.response())?.text()).not.toContain('invalid_union');
});

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

it('asks for a reload when a part of the page is gone after an upgrade, and keeps what was typed', async () => {
  const { page } = await shared.openTab();
  await page.goto(shared.store.formAddress);
  await field(page, 'Name').fill('Monstera');
  await page.keyboard.press('Escape');
  const assets = /\/assets\/import.*\.js$/;
  await page.route(assets, (route) => route.fulfill({ status: 404, body: '' }));
  await openImport(page);
  const hint = page.getByText(/reload/i);
  await hint.first().waitFor();
  await page.unroute(assets);
  await page.goto(`${shared.store.baseUrl}/add`);
  expect(await field(page, 'Name').inputValue()).toBe('Monstera');
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
