import { expect, it } from 'vitest';
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
  expect(await submitForm(url, smallest)).toBe(`${smallest.id} is stored.`);
  expect(await submitForm(url, smallest)).toBe(`${smallest.id} was there already.`);
  expect(await submitForm(url, { ...smallest, name: 'Rose' })).toContain('belongs to another plant');
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

/** Submits the form as a browser without JavaScript does, and resolves to the message in the page that comes back. */
async function submitForm(url: string, fields: Readonly<Record<string, string>>) {
  const page = await (await fetch(url)).text();
  const form = new FormData();
  for (const [input] of page.matchAll(/<input type="hidden"[^>]*>/g)) {
    form.set(readAttribute(input, 'name'), readAttribute(input, 'value'));
  }
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  const reply = await (await fetch(url, { method: 'POST', body: form })).text();
  return /<output[^>]*>([^<]*)<\/output>/.exec(reply)?.[1];
}

function readAttribute(element: string, name: string): string {
  const [, value = ''] = new RegExp(`${name}="([^"]*)"`).exec(element) ?? [];
  return value.replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}
