import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@plant-store/client';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { launchChromium } from '../../apps/api/test/browser/launch-chromium.ts';
import { findExample, post, startExample } from './support/example.ts';
import { run, until } from './support/process.ts';
import { createTemporaryFolder, type Service, startService } from './support/service.ts';

const { folder, path } = findExample('react-vite');
const first = '9007199254740992';
const second = '9007199254740993';

it('has types that fit, and is built without its token', async () => {
  const outDir = await createTemporaryFolder();
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const environment = { ...path, PLANT_STORE_TOKEN: 'pst_secret' };
  const build = ['sh', '-c', `${scripts.build} --outDir ${outDir} --emptyOutDir`];
  expect(await run(build, { folder, environment })).toMatchObject({ status: 0 });
  const findInBuild = (text: string) =>
    globSync('**/*.{js,html}', { cwd: outDir }).filter((file) =>
      readFileSync(join(outDir, file), 'utf8').includes(text),
    );
  expect(findInBuild('listPlants')).toHaveLength(1);
  expect(findInBuild('pst_secret')).toEqual([]);
});

describe('in a browser', () => {
  let browser: Awaited<ReturnType<typeof launchChromium>>;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  /** Starts the example as its README says, and opens its page. */
  async function open({ environment }: Service) {
    const withPort = (command: string) => `${command} --port 0`;
    const pattern = /(?<=Local: +)http:\S+(?=\/)/;
    const { url, plant } = await startExample('react-vite', environment, pattern, withPort);
    const page = await browser.newPage();
    onTestFinished(() => page.close());
    const deletes: string[] = [];
    const received: Promise<string>[] = [];
    page.on('request', (request) => {
      received.push(request.allHeaders().then(JSON.stringify, () => ''));
      if (request.method() === 'DELETE') deletes.push(new URL(request.url()).pathname);
    });
    // A 304 has no body.
    page.on('response', (response) => received.push(response.text().catch(() => '')));
    await page.clock.install();
    await page.goto(url);
    /** Lets the time for an undo pass. */
    const wait = () => page.clock.fastForward(6_000);
    const plants = page.getByRole('listitem');
    const add = async (fields: { readonly id?: string; readonly name?: string } = {}) => {
      if (fields.id !== undefined) await page.getByRole('textbox', { name: 'Id' }).fill(fields.id);
      if (fields.name !== undefined) await page.getByRole('textbox', { name: 'Name' }).fill(fields.name);
      await page.getByRole('button', { name: 'Add', exact: true }).click();
    };
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
    const shows = (text: string) => page.getByText(text).waitFor();
    return { url, plant, page, plants, deletes, received, add, press, shows, wait };
  }

  it('adds, lists and deletes plants by their exact ids, and undoes a delete', async () => {
    const service = await startService();
    const { page, plants, deletes, received, add, press, shows, wait } = await open(service);
    await add({ id: first, name: 'Rose' });
    await shows('Rose is stored.');
    await add({ id: second, name: 'Ivy' });
    await shows('Ivy is stored.');
    await until(async () => (await plants.count()) === 2);
    expect(await plants.locator('small').allTextContents()).toEqual([second, first]);
    await add({ id: first, name: 'Fern' });
    await shows('already exists with different values');

    await press(`Delete Ivy, id ${second}`);
    await press(`Undo Ivy, id ${second}`);
    await wait();
    await add({ id: second, name: 'Ivy' });
    await shows('Ivy is stored.');
    expect(deletes).toEqual([]);
    await press(`Delete Ivy, id ${second}`);
    await wait();
    await until(async () => (await plants.count()) === 1);
    expect(await plants.locator('small').allTextContents()).toEqual([first]);
    expect(deletes).toEqual([`/api/plants/${second}`]);
    expect(await readNames(service)).toEqual(['Rose']);

    await press(`Delete Rose, id ${first}`);
    await page.goto('about:blank');
    await until(async () => (await readNames(service)).length === 0);
    const texts = await Promise.all(received);
    expect(texts.some((text) => text.includes('listPlants'))).toBe(true);
    expect(texts.some((text) => text.includes(service.token))).toBe(false);
  });

  it('edits a plant, and overwrites nothing that the list has refetched while the person types', async () => {
    const service = await startService();
    const client = createClient({ baseUrl: service.baseUrl, token: service.token });
    const params = { id: BigInt(second) };
    await client.createPlant({ body: { ...params, name: 'Rose', tag: 'indoor' } });
    const { page, plants, press, shows } = await open(service);
    const type = (name: string) => page.getByRole('textbox', { name: 'New name' }).fill(name);
    await press(`Edit Rose, id ${second}`);
    await type('Ivy');
    await press('Save');
    await page.getByRole('button', { name: `Edit Ivy, id ${second}` }).waitFor();
    expect((await client.getPlant({ params })).body).toMatchObject({ name: 'Ivy', tag: 'indoor' });

    await press(`Edit Ivy, id ${second}`);
    await type('Mine');
    await client.updatePlant({ params, headers: { 'if-match': '*' }, body: { name: 'Theirs' } });
    // As when the person comes back to the tab.
    await page.evaluate(() => dispatchEvent(new Event('visibilitychange')));
    await page.getByRole('button', { name: `Edit Theirs, id ${second}` }).waitFor();
    await press('Save');
    await shows('Someone else has saved it as Theirs.');
    expect(await plants.getByRole('textbox').inputValue()).toBe('Mine');
    expect(await readNames(service)).toEqual(['Theirs']);
    await press('Replace');
    await page.getByRole('button', { name: `Edit Mine, id ${second}` }).waitFor();
    expect(await readNames(service)).toEqual(['Mine']);
  });

  it('shows more plants once asked to', async () => {
    const service = await startService();
    const { url, plant, page, plants, press } = await open(service);
    const some = Array.from({ length: 20 }, (_, index) => ({ id: index, name: 'Fern' }));
    expect(await post(`${url}/api/plants/batch`, { plants: some })).toMatchObject([200, {}]);
    // That of its README.
    expect(await post(`${url}/api/plants`, plant)).toMatchObject([200, {}]);
    await page.reload();
    await press('More');
    await until(async () => (await plants.count()) === 21);
    expect(await page.getByRole('button', { name: 'More' }).count()).toBe(0);
  });

  it('shows that the service is away, and goes on once it is back', async () => {
    const service = await startService();
    await service.stop();
    const { page, plants, add, press, shows, wait } = await open(service);
    const alerts = page.getByRole('alert');
    await alerts.filter({ hasText: 'does not answer' }).waitFor();
    await service.restart();
    await alerts.waitFor({ state: 'detached' });
    // Under the id that the page has made up.
    await add({ name: 'Rose' });
    await shows('Rose is stored.');

    await service.stop();
    await add({ name: 'Fern' });
    await page.locator('output').filter({ hasText: 'does not answer' }).waitFor();
    await alerts.waitFor();
    await page.getByRole('button', { name: /^Delete Rose/ }).click();
    await wait();
    await plants.getByRole('alert').waitFor();
    await service.restart();
    await until(async () => (await alerts.count()) === 1);
    await press('Add');
    await shows('Fern is stored.');
    await until(async () => (await plants.count()) === 2);
    expect((await readNames(service)).sort()).toEqual(['Fern', 'Rose']);
  });
});

/** The names of the plants that the service has, without those that were deleted. */
async function readNames(service: Service): Promise<string[]> {
  const plants = (await service.readPlants()).map((line) => JSON.parse(line));
  return plants.flatMap(({ name }) => name ?? []);
}
