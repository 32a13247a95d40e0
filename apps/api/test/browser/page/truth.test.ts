import { networkInterfaces } from 'node:os';
import { expect, it } from 'vitest';
import { setUp } from './support/set-up.js';

const shared = setUp({ HOST: '0.0.0.0' });

/** An address of this machine without HTTPS that a browser does not trust as it trusts loopback ones. */
function findInsecureHost(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
  const found = addresses.find(({ internal, family }) => !internal && family === 'IPv4');
  if (found === undefined) throw new Error('This machine has no address but that of its loopback interface.');
  return found.address;
}

const openPage = () => shared.openTab();

it('copies and reads a file at an address without HTTPS', async () => {
  const { store } = shared;
  await store.send('/plants', { id: 70, name: 'Yew' });
  const { page, messages, violations } = await openPage();
  const { hash, port } = new URL(store.address);
  await page.goto(`http://${findInsecureHost()}:${port}/${hash}`);
  await page.getByRole('row', { name: 'Yew' }).waitFor();
  expect(await page.evaluate(() => [isSecureContext, 'clipboard' in navigator])).toEqual([false, false]);
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('checkbox', { name: 'ID' }).check();
  await page.keyboard.press('Escape');
  await page.getByRole('row', { name: 'Yew' }).hover();
  await page.getByRole('button', { name: 'Copy the ID 70' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  await page.getByRole('searchbox').focus();
  await page.keyboard.press('ControlOrMeta+V');
  await page.getByText('1 plant found by ID').waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Yew' }).waitFor();
  const sheet = page.getByRole('complementary');
  await sheet.getByRole('button', { name: 'Copy the ID', exact: true }).click();
  await sheet.getByRole('button', { name: 'Copied' }).waitFor();
  await page.getByRole('button', { name: 'Close' }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('button', { name: 'Export as CSV' }).click();
  expect((await download).suggestedFilename()).toBe('plants.csv');
  const again = page.waitForEvent('download');
  await page.getByRole('link', { name: 'plants.csv' }).click();
  expect((await again).suggestedFilename()).toBe('plants.csv');
  const uncaught = messages.filter((message) => message.startsWith('uncaught'));
  expect({ uncaught, violations }).toEqual({ uncaught: [], violations: [] });
});

it('imports where the browser blocks workers and storage, and shows that it does not remember the token', async () => {
  const { page, violations } = await openPage();
  await page.addInitScript(() => {
    Reflect.deleteProperty(globalThis, 'Worker');
    const refuse = () => {
      throw new DOMException('The storage is blocked.', 'SecurityError');
    };
    for (const name of ['sessionStorage', 'localStorage'])
      Object.defineProperty(globalThis, name, { get: refuse });
    // As Firefox does.
    globalThis.BroadcastChannel = class extends BroadcastChannel {
      constructor(name: string) {
        super(name);
        refuse();
      }
    };
  });
  await page.goto(`${shared.store.baseUrl}/import`);
  await page.getByLabel('Access token').fill(shared.store.token);
  await page.getByLabel('Remember on this device').check();
  await page.getByRole('alert').filter({ hasText: 'Not remembered' }).waitFor();
  await page.getByRole('button', { name: 'Use token' }).click();
  await page.getByRole('textbox', { name: 'Rows from a spreadsheet' }).fill('id,name\n81,Oak\n82,Elm');
  await page.getByRole('button', { name: 'Read lines' }).click();
  await page.getByRole('button', { name: 'Add 2 plants' }).click();
  await page.getByRole('heading', { name: '2 plants added' }).waitFor();
  expect(shared.store.readPlants().filter(({ id }) => ['81', '82'].includes(id))).toHaveLength(2);
  expect(violations).toEqual([]);
});

it('says at once that the device is offline, and no longer once it is back', async () => {
  const { page } = await openPage();
  const following = page.waitForRequest((request) => request.url().includes('wait=25'));
  await page.goto(shared.store.address);
  await following;
  const notice = page.getByRole('alert').filter({ hasText: 'This device is offline' });
  await page.context().setOffline(true);
  await notice.waitFor();
  await page.context().setOffline(false);
  await notice.waitFor({ state: 'detached' });
});

// The last one: where it fails, the service may be away.
it('keeps what was loaded while the service is away, counts nothing, and comes back by itself', async () => {
  const { store } = shared;
  const plants = ['Rose', 'Fern'].map((name, at) => ({ id: at + 1, name, tag: 'outage' }));
  await store.send('/plants/batch', { plants });
  const { page, forget, messages } = await openPage();
  const following = page.waitForRequest((request) => request.url().includes('wait=25'));
  await page.goto(store.address.replace('/#', '/?tag=outage#'));
  await page.getByText('2 plants found').waitFor();
  await following;
  await store.kill();
  const notice = page.getByRole('alert').filter({ hasText: 'This page resumes automatically' });
  // Though nobody has pressed anything.
  await notice.waitFor();
  await page.getByRole('searchbox').fill('ros');
  await page.waitForURL('**/?q=ros&tag=outage');
  expect(await page.getByRole('row', { name: 'Fern' }).isVisible()).toBe(true);
  const busy = page.locator('.plant-table[aria-busy=true]');
  expect(await busy.evaluate((table) => getComputedStyle(table).filter)).toBe('grayscale(1)');
  expect(await page.locator('.list-status').textContent()).toBe('');
  expect(await page.getByText(/stored|0 plants|No plant/).count()).toBe(0);
  // What the browser reports of connections that are refused.
  forget();
  await store.start();
  await page.getByText('1 plant found').waitFor();
  expect([await notice.count(), await page.getByRole('row', { name: 'Fern' }).count()]).toEqual([0, 0]);
  expect(messages.filter((message) => message.startsWith('uncaught'))).toEqual([]);
  // What somebody else adds is heard of again.
  await store.send('/plants', { id: 3, name: 'Rosemary', tag: 'outage' });
  await page.getByText('2 plants found').waitFor();
});
