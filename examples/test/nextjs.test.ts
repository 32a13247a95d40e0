import { createClient } from '@plant-store/client';
import { expect, it, onTestFinished } from 'vitest';
import { launchChromium } from '../../apps/api/test/browser/launch-chromium.ts';
import { post, startExample } from './support/example.ts';
import { startService } from './support/service.ts';

it('stores the plant of its README exactly by its route handler, and one by its server action', async () => {
  const service = await startService();
  const environment = { ...service.environment, NEXT_TELEMETRY_DISABLED: '1' };
  const { url, plant } = await startExample('nextjs', environment, /(?<=Local: +)http:\S+/);
  expect(await post(`${url}/plants`, plant)).toEqual([200, { message: `${plant.id} is stored.` }]);
  expect(await post(`${url}/plants`, { ...plant, name: 'Fern' })).toMatchObject([422, {}]);
  expect(await post(`${url}/plants`, { id: 1, name: 'Rose' })).toMatchObject([400, {}]);

  const smallest = { id: '-9223372036854775808', name: 'Fern' };
  const add = async (fields: Fields) => readOutput(await submitForm(url, await openPage(url), fields));
  expect(await add(smallest)).toBe(`${smallest.id} is stored.`);
  expect(await add(smallest)).toBe(`${smallest.id} was there already.`);
  expect(await add({ ...smallest, name: 'Rose' })).toContain('already exists with different values');
  const ofForm = '{"id":-9223372036854775808,"name":"Fern"}';
  expect(await service.readPlants()).toEqual([ofForm, `{"id":${plant.id},"name":"Rose"}`]);
  await service.stop();
  expect(await post(`${url}/plants`, plant)).toMatchObject([502, {}]);
  const scripts = [...(await (await fetch(url)).text()).matchAll(/src="([^"]+\.js)"/g)].map(([, src]) => src);
  expect(scripts.length).toBeGreaterThan(0);
  for (const src of scripts) {
    expect(await (await fetch(new URL(src ?? '', url))).text()).not.toContain('createPlant');
  }
});

it('renames a plant, and overwrites nothing that somebody else has saved since the form opened', async () => {
  const service = await startService();
  const environment = { ...service.environment, NEXT_TELEMETRY_DISABLED: '1' };
  const { url } = await startExample('nextjs', environment, /(?<=Local: +)http:\S+/);
  const client = createClient({ baseUrl: service.baseUrl, token: service.token });
  const params = { id: 9223372036854775807n };
  await client.createPlant({ body: { ...params, name: 'Rose', tag: 'shrub' } });
  const form = `${url}/plants/${params.id}`;
  const read = async () => (await client.getPlant({ params })).body;
  const saved = await submitForm(form, await openPage(form), { name: 'Ivy' });
  expect(readOutput(saved)).toBe('Ivy is saved.');
  expect(await read()).toMatchObject({ name: 'Ivy', tag: 'shrub' });

  const opened = await openPage(form);
  await client.updatePlant({ params, headers: { 'if-match': '*' }, body: { name: 'Theirs' } });
  const conflict = await submitForm(form, opened, { name: 'Mine' });
  expect(readOutput(conflict)).toBe('Someone else has saved it as Theirs. Save again to replace that.');
  expect(conflict).toMatch(/<input[^>]* value="Mine"/);
  expect(await read()).toMatchObject({ name: 'Theirs' });
  expect(readOutput(await submitForm(form, conflict, { name: 'Mine' }))).toBe('Mine is saved.');
  expect(await read()).toMatchObject({ name: 'Mine' });
  expect((await fetch(`${url}/plants/1`)).status).toBe(404);

  // With JavaScript, where a refresh renders the form again with the update by somebody else.
  const browser = await launchChromium();
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  await page.goto(form, { waitUntil: 'networkidle' });
  await page.getByRole('textbox').fill('Late');
  await client.updatePlant({ params, headers: { 'if-match': '*' }, body: { name: 'Theirs' } });
  const refreshed = Promise.withResolvers<string>();
  // Chromium may discard the body of a streamed response before a test reads it.
  await page.route(/_rsc/, async (route) => {
    const response = await route.fetch();
    refreshed.resolve(await response.text());
    await route.fulfill({ response });
  });
  await page.evaluate('next.router.refresh()');
  expect(await refreshed.promise).toContain('Theirs');
  await page.getByRole('button').click();
  await page.getByText('Someone else has saved it as Theirs.').waitFor();
  expect(await page.getByRole('textbox').inputValue()).toBe('Late');
  expect(await read()).toMatchObject({ name: 'Theirs' });
});

type Fields = Readonly<Record<string, string>>;

const openPage = async (url: string) => (await fetch(url)).text();

/** Submits the form of a page as a browser without JavaScript does, and resolves to the page that comes back. */
async function submitForm(url: string, page: string, fields: Fields): Promise<string> {
  const form = new FormData();
  for (const [input] of page.matchAll(/<input type="hidden"[^>]*>/g)) {
    form.set(readAttribute(input, 'name'), readAttribute(input, 'value'));
  }
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return (await fetch(url, { method: 'POST', body: form })).text();
}

/** The message that a page shows. */
function readOutput(page: string): string | undefined {
  return /<output[^>]*>([^<]*)<\/output>/.exec(page)?.[1];
}

function readAttribute(element: string, name: string): string {
  const [, value = ''] = new RegExp(`${name}="([^"]*)"`).exec(element) ?? [];
  return value.replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}
