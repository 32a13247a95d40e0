import { expect, it } from 'vitest';
import { until } from '../../support/until.js';
import { addButton, chooseFile, readOutcome } from './support/import-page.js';
import { makePlantsFile } from './support/plants-file.js';
import { setUp } from './support/set-up.js';
import { addPlant, forgetToken, openImport } from './support/use-page.js';

const shared = setUp();

it('uses everything of the page without a violation, and without a request to another origin', async () => {
  const { page, violations, requests, messages } = await shared.openTab();
  await page.goto(shared.store.address);
  await addPlant(page, { id: '1', name: 'Monstera' });
  await page.getByRole('listitem').getByText('stored').waitFor();
  await openImport(page);
  await chooseFile(page, makePlantsFile(50, { faultyEvery: 10 }));
  await addButton(page).click();
  await readOutcome(page);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: /^Download/ }).click();
  await (await download).path();
  await forgetToken(page);
  await page.getByRole('button', { name: 'Use token' }).waitFor();
  const origins = new Set(requests.map((request) => new URL(request.url()).origin));
  expect([violations, messages, [...origins]]).toEqual([[], [], [shared.store.baseUrl]]);
});

const elsewhere = 'http://127.0.0.1:9';

/** Which of what is expected was not blocked: each is a directive and the beginning of what it has to block. */
const findUnblocked = (expected: object, violations: readonly string[]) =>
  Object.keys(expected).filter((each) => !violations.some((violation) => violation.startsWith(each)));

/** Markup of an attacker, by what has to block it. */
const markup: Readonly<Record<string, string>> = {
  'script-src-elem inline': '<script>document.title = "changed"</script>',
  'script-src-attr inline': '<img src="/icon.svg" alt="" onload="document.title = \'changed\'">',
  [`script-src-elem ${elsewhere}`]: `<script src="${elsewhere}"></script>`,
  'style-src-elem inline': '<style>h1 { display: none }</style>',
  'style-src-attr inline': '<p style="position: fixed"></p>',
  [`style-src-elem ${elsewhere}`]: `<link rel="stylesheet" href="${elsewhere}">`,
  [`img-src ${elsewhere}`]: `<img src="${elsewhere}" alt="">`,
  [`frame-src ${elsewhere}`]: `<iframe src="${elsewhere}"></iframe>`,
  [`object-src ${elsewhere}`]: `<object data="${elsewhere}"></object>`,
  [`media-src ${elsewhere}`]: `<video src="${elsewhere}"></video>`,
  [`base-uri ${elsewhere}`]: `<base href="${elsewhere}">`,
};

it('blocks markup of an attacker in its document', async () => {
  const { page, violations } = await shared.openTab();
  await page.route(`${shared.store.baseUrl}/`, async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replace('</body>', `${Object.values(markup).join('')}</body>`);
    await route.fulfill({ response, body });
  });
  await page.goto(shared.store.baseUrl);
  await expect.poll(() => findUnblocked(markup, violations)).toEqual([]);
  expect(await page.title()).not.toBe('changed');
});

/** The part of the Trusted Types API that is used; TypeScript's types have none of it. */
interface WithTrustedTypes {
  readonly trustedTypes: {
    createPolicy(
      name: string,
      rules: { readonly createScriptURL?: (url: string) => string },
    ): { createScriptURL(url: string): string };
  };
}

/** Scripts of an attacker, by what has to block them. */
const attacks: Readonly<Record<string, (url: string) => void>> = {
  'require-trusted-types-for trusted-types-sink': () => {
    document.createElement('script').textContent = 'document.title = "changed"';
  },
  // A policy that would allow it.
  'trusted-types trusted-types-policy': () =>
    void (globalThis as unknown as WithTrustedTypes).trustedTypes.createPolicy('other', {}),
  'worker-src blob': () => {
    const { trustedTypes } = globalThis as unknown as WithTrustedTypes;
    const policy = trustedTypes.createPolicy('plant-store-worker', { createScriptURL: (url) => url });
    new Worker(policy.createScriptURL(URL.createObjectURL(new Blob(['']))));
  },
  [`connect-src ${elsewhere}`]: (url) => void fetch(url).catch(() => undefined),
  [`form-action ${elsewhere}`]: (url) => {
    const form = document.createElement('form');
    form.action = url;
    document.body.append(form);
    form.submit();
  },
};

it('blocks scripts of an attacker in its document', async () => {
  const { page, violations } = await shared.openTab();
  await page.goto(shared.store.address);
  await page.getByRole('link', { name: 'Plants' }).waitFor();
  // What it blocks may throw, too.
  for (const attack of Object.values(attacks)) await page.evaluate(attack, elsewhere).catch(() => undefined);
  await expect.poll(() => findUnblocked(attacks, violations)).toEqual([]);
  expect(await page.title()).not.toBe('changed');
});

it('cannot be shown in a frame', async () => {
  const { page, messages } = await shared.openTab();
  await page.setContent(`<iframe src="${shared.store.baseUrl}/"></iframe>`);
  await until(() => messages.some((message) => message.includes('frame-ancestors')));
  expect(await page.frameLocator('iframe').getByRole('heading').count()).toBe(0);
});
