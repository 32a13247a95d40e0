import { networkInterfaces } from 'node:os';
import { expect, it, onTestFinished } from 'vitest';
import { openTab } from './support/open-tab.js';
import { setUp } from './support/set-up.js';

const shared = setUp({ HOST: '0.0.0.0' });

/** An address of this machine without HTTPS that a browser does not trust as it trusts loopback ones. */
function findInsecureHost(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
  const found = addresses.find(({ internal, family }) => !internal && family === 'IPv4');
  if (found === undefined) throw new Error('This machine has no address but that of its loopback interface.');
  return found.address;
}

async function openPage() {
  const tab = await openTab(shared.browser);
  onTestFinished(tab.close);
  return tab;
}

it('keeps what was loaded while the service is away, counts nothing, and comes back by itself', async () => {
  const { store } = shared;
  const plants = [
    { id: 1, name: 'Rose', tag: 'sun' },
    { id: 2, name: 'Fern', tag: 'shade' },
  ];
  await store.send('/plants/batch', { plants });
  const { page, forget, messages } = await openPage();
  await page.goto(store.address);
  await page.getByText('2 plants').waitFor();
  await store.kill();
  await page.getByRole('searchbox').fill('ros');
  const notice = page.getByRole('alert').filter({ hasText: 'This page goes on by itself' });
  await notice.waitFor();
  expect(await page.getByRole('row', { name: 'Fern' }).isVisible()).toBe(true);
  expect(await page.locator('.plant-table').getAttribute('aria-busy')).toBe('true');
  expect(await page.locator('.list-status').textContent()).toBe('');
  expect(await page.getByText(/stored|0 plants|No plant/).count()).toBe(0);
  // What the browser reports of connections that are refused.
  forget();
  await store.start();
  await page.getByText('1 plant found').waitFor();
  expect([await notice.count(), await page.getByRole('row', { name: 'Fern' }).count()]).toEqual([0, 0]);
  expect(messages.filter((message) => message.startsWith('uncaught'))).toEqual([]);
  // What somebody else adds is heard of again.
  await store.send('/plants', { id: 3, name: 'Rosemary' });
  await page.getByText('2 plants found').waitFor();
});

it('copies and reads a file at an address without HTTPS', async () => {
  const { store } = shared;
  await store.send('/plants', { id: 70, name: 'Yew' });
  const { page, messages, violations } = await openPage();
  const { hash, port } = new URL(store.address);
  await page.goto(`http://${findInsecureHost()}:${port}/${hash}`);
  await page.getByRole('row', { name: 'Yew' }).waitFor();
  expect(await page.evaluate(() => [isSecureContext, 'clipboard' in navigator])).toEqual([false, false]);
  await page.getByRole('searchbox').fill('');
  await page.getByRole('row', { name: 'Yew' }).hover();
  await page.getByRole('button', { name: 'Copy the id 70' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  await page.getByRole('searchbox').focus();
  await page.keyboard.press('ControlOrMeta+V');
  await page.getByText('1 plant found, by its id').waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Yew' }).waitFor();
  const sheet = page.getByRole('dialog');
  await sheet.getByRole('button', { name: 'Copy the id', exact: true }).click();
  await sheet.getByRole('button', { name: 'Copied' }).waitFor();
  await page.getByRole('button', { name: 'Close' }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('button', { name: 'CSV' }).click();
  expect((await download).suggestedFilename()).toBe('plants.csv');
  const again = page.waitForEvent('download');
  await page.getByRole('link', { name: 'plants.csv' }).click();
  expect((await again).suggestedFilename()).toBe('plants.csv');
  const uncaught = messages.filter((message) => message.startsWith('uncaught'));
  expect({ uncaught, violations }).toEqual({ uncaught: [], violations: [] });
});

it('imports where the browser blocks workers and storage', async () => {
  const { page, violations } = await openPage();
  await page.addInitScript(() => {
    Reflect.deleteProperty(globalThis, 'Worker');
    Object.defineProperty(globalThis, 'sessionStorage', {
      get() {
        throw new DOMException('The storage is blocked.', 'SecurityError');
      },
    });
  });
  await page.goto(shared.store.address.replace('/#', '/import#'));
  await page.getByRole('textbox', { name: 'Lines from a spreadsheet' }).fill('id,name\n81,Oak\n82,Elm');
  await page.getByRole('button', { name: 'Read lines' }).click();
  await page.getByRole('button', { name: 'Review lines' }).click();
  await page.getByRole('button', { name: 'Add 2 plants' }).click();
  await page.getByRole('heading', { name: '2 plants added' }).waitFor();
  expect(shared.store.readPlants().filter(({ id }) => ['81', '82'].includes(id))).toHaveLength(2);
  expect(violations).toEqual([]);
});

it.each([
  ['create', ['Add a plant', 'Import'], /^This token may add plants, but not see, correct or delete them/],
  ['read', [], undefined],
  ['read,delete', ['Delete'], undefined],
  ['read,correct', ['Correct'], undefined],
] as const)(
  'offers a token that may %s nothing else, and counts only what it may see',
  async (scopes, offered, says) => {
    const { store } = shared;
    await store.send('/plants', { id: 90, name: 'Larch' });
    const { page } = await openPage();
    await page.goto(`${store.baseUrl}/#token=${await store.issueToken(scopes)}`);
    if (says === undefined) {
      await page.getByRole('row', { name: 'Larch' }).click();
      await page.getByRole('heading', { name: 'Larch' }).waitFor();
    } else await page.getByRole('alert').filter({ hasText: says }).waitFor();
    const names = ['Add a plant', 'Import', 'Correct', 'Delete'];
    const isOffered = (name: string) =>
      page
        .getByRole('button', { name, exact: true })
        .or(page.getByRole('link', { name, exact: true }))
        .first()
        .isVisible();
    await expect
      .poll(async () => {
        const visible = await Promise.all(names.map(isOffered));
        return names.filter((_, at) => visible[at]);
      })
      .toEqual(offered);
    expect(await page.getByText(/0 plants|No plant/).count()).toBe(0);
    expect(await page.getByRole('searchbox').count()).toBe(says === undefined ? 1 : 0);
  },
);

it('lists first the plant whose id is searched, filters by a tag as it is typed, in either case, or pressed', async () => {
  const plants = [
    { id: 700, name: 'Alder', tag: 'Marsh' },
    { id: 701, name: 'Plant 700 b', tag: 'Marsh' },
    { id: 702, name: 'Heather', tag: 'Moor' },
  ];
  await shared.store.send('/plants/batch', { plants });
  const { page } = await openPage();
  await page.goto(shared.store.address);
  const first = page.getByRole('row').nth(1);
  await page.getByRole('searchbox').fill('700');
  await page.getByText('2 plants found').waitFor();
  expect(await first.textContent()).toContain('Alder');
  await page.getByRole('searchbox').fill('');
  await page.getByRole('combobox', { name: 'Tag' }).pressSequentially('mArs');
  await page.getByText('2 plants found').waitFor();
  expect(await page.getByRole('row', { name: 'Heather' }).count()).toBe(0);
  await page.getByRole('combobox', { name: 'Tag' }).fill('');
  await page.getByRole('row', { name: 'Heather' }).getByRole('button', { name: 'Moor' }).click();
  await page.getByText('1 plant found').waitFor();
  expect(new URL(page.url()).search).toBe('?tag=Moor');
});

it('keeps the undo of each of two deletes', async () => {
  const plants = [
    { id: 800, name: 'Birch', tag: 'wood' },
    { id: 801, name: 'Beech', tag: 'wood' },
    { id: 802, name: 'Hazel', tag: 'wood' },
  ];
  await shared.store.send('/plants/batch', { plants });
  const { page } = await openPage();
  await page.goto(shared.store.address.replace('/#', '/?tag=wood#'));
  const note = (name: string) => page.locator('.undo-item').filter({ hasText: name });
  for (const name of ['Birch', 'Beech']) {
    await page.getByRole('row').getByText(name).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await note(name).waitFor();
  }
  await page.getByText('1 plant found').waitFor();
  for (const name of ['Birch', 'Beech']) {
    await note(name).getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('row', { name }).waitFor();
  }
  await page.getByText('3 plants found').waitFor();
});
