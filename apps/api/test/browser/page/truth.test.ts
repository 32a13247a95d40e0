import { networkInterfaces } from 'node:os';
import { expect, it, onTestFinished } from 'vitest';
import { openTab } from './support/open-tab.js';
import { setUp } from './support/set-up.js';
import { translatePage } from './support/translate-page.js';

const shared = setUp({ HOST: '0.0.0.0' });

/** An address of this machine without HTTPS that a browser does not trust as it trusts loopback ones. */
function findInsecureHost(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
  const found = addresses.find(({ internal, family }) => !internal && family === 'IPv4');
  if (found === undefined) throw new Error('This machine has no address but that of its loopback interface.');
  return found.address;
}

/** That of a view, at a loopback address, which a browser trusts as it trusts HTTPS. */
function findTrustedAddress(path: string): string {
  const { hash, port } = new URL(shared.store.address);
  return `http://127.0.0.1:${port}${path}${hash}`;
}

async function openPage() {
  const tab = await openTab(shared.browser);
  onTestFinished(tab.close);
  return tab;
}

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
  await page.getByRole('textbox', { name: 'Lines from a spreadsheet' }).fill('id,name\n81,Oak\n82,Elm');
  await page.getByRole('button', { name: 'Read lines' }).click();
  await page.getByRole('button', { name: 'Add 2 plants' }).click();
  await page.getByRole('heading', { name: '2 plants added' }).waitFor();
  expect(shared.store.readPlants().filter(({ id }) => ['81', '82'].includes(id))).toHaveLength(2);
  expect(violations).toEqual([]);
});

it.each([
  ['create', ['Add plant', 'Import'], /^This token can add plants, but not see, edit, or delete them/],
  ['read', [], undefined],
  ['read,delete', ['Delete'], undefined],
  ['read,update', ['Edit'], undefined],
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
    const names = ['Add plant', 'Import', 'Edit', 'Delete'];
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

it('lists first the plant whose id is searched, and filters by a tag of the side bar, with its count', async () => {
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
  await page.getByRole('link', { name: 'Marsh 2' }).click();
  await page.getByText('2 plants found').waitFor();
  expect(await page.getByRole('row', { name: 'Heather' }).count()).toBe(0);
  await page.getByRole('link', { name: 'Moor 1' }).click();
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

it('shows what somebody else adds, edits and deletes, without a reload', async () => {
  const { store } = shared;
  await store.send('/plants', { id: 600, name: 'Sorrel', tag: 'herb' });
  const { page } = await openPage();
  await page.goto(store.address.replace('/#', '/?tag=herb#'));
  await page.getByRole('row', { name: 'Sorrel' }).waitFor();
  const loadedAt = () => page.evaluate(() => performance.timeOrigin);
  const before = await loadedAt();
  await store.send('/plants', { id: 601, name: 'Chervil', tag: 'herb' });
  await page.getByRole('row', { name: 'Chervil' }).waitFor();
  await page.getByText('2 plants found').waitFor();
  const etag = (await store.send('/plants/600')).headers.get('etag') ?? '';
  await store.send('/plants/600', { id: 600, name: 'Lovage', tag: 'herb' }, { 'if-match': etag });
  await page.getByRole('row', { name: 'Lovage' }).waitFor();
  await store.send('/plants/batch/delete', { ids: ['601'] });
  await page.getByText('1 plant found').waitFor();
  expect([await page.getByRole('row', { name: /Sorrel|Chervil/ }).count(), await loadedAt()]).toEqual([
    0,
    before,
  ]);
});

it.each([
  ['its clipboard alone', true],
  ['any copy', false],
])('copies, or shows how to, where the browser refuses %s', async (_, copies) => {
  const { store } = shared;
  const { page } = await openPage();
  await store.send('/plants', { id: 500, name: 'Larkspur' });
  // All others are refused.
  await page.context().grantPermissions(['geolocation']);
  if (!copies) await page.addInitScript(() => Object.assign(document, { execCommand: () => false }));
  await page.goto(findTrustedAddress('/p/500'));
  await page.getByRole('button', { name: 'Copy the ID', exact: true }).click();
  if (copies) await page.getByRole('button', { name: 'Copied' }).waitFor();
  else {
    await page
      .getByRole('alert')
      .filter({ hasText: 'Your browser blocked copying. Press Ctrl+C.' })
      .waitFor();
    expect(await page.evaluate(() => getSelection()?.toString())).toBe('500');
  }
  expect(await page.evaluate(() => navigator.clipboard.writeText('').catch(({ name }) => name))).toBe(
    'NotAllowedError',
  );
});

it('deletes and restores where the browser translates it, but no name, tag, id or code', async () => {
  const { store } = shared;
  const plants = [400_017, 400_018, 400_019].map((id, index) => ({
    id,
    name: `Sedge ${'abc'[index]}`,
    tag: 'reed',
  }));
  await store.send('/plants/batch', { plants });
  const { page, messages, violations } = await openPage();
  await page.addInitScript(translatePage);
  await page.goto(findTrustedAddress('/?tag=reed'));
  const expectTranslated = async () => {
    expect(await page.locator('font > font').count()).toBeGreaterThan(3);
    expect(
      await page
        .locator('font')
        .filter({ hasText: /Sedge|reed|4000\d\d|curl http/ })
        .allTextContents(),
    ).toEqual([]);
  };
  const row = (name: string) => page.getByRole('row', { name });
  await row('Sedge a').getByText('Sedge a').click();
  await page.getByText(/^curl http/).waitFor({ state: 'attached' });
  await expectTranslated();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await row('Sedge a').waitFor({ state: 'detached' });
  await page.getByText('2 plants found').waitFor();
  await expectTranslated();
  await page.getByRole('button', { name: 'Undo' }).click();
  await row('Sedge a').waitFor();
  for (const name of ['Sedge b', 'Sedge c']) await row(name).locator('.plant-select').click();
  await page
    .getByRole('region', { name: 'Selected plants' })
    .getByRole('button', { name: /^Delete/ })
    .click();
  await page.getByText('1 plant found').waitFor();
  await expectTranslated();
  expect([messages, violations]).toEqual([[], []]);
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
  const plants = [
    { id: 1, name: 'Rose', tag: 'outage' },
    { id: 2, name: 'Fern', tag: 'outage' },
  ];
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
  expect(
    await page.locator('.plant-table[aria-busy=true]').evaluate((table) => getComputedStyle(table).filter),
  ).toBe('grayscale(1)');
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
