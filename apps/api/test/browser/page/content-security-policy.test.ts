import type { Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { until } from '../../support/until.js';
import { openTab } from './support/open-tab.js';
import { makePlantsFile } from './support/plants-file.js';
import { setUp } from './support/set-up.js';
import { addButton, addPlant, chooseFile, readSummary } from './support/use-page.js';

const shared = setUp();

/** Adds an inline script. Trusted Types already block its text, the policy for scripts what would be left. */
const runInPage = (page: Page, script: string) =>
  page.evaluate((text) => {
    const element = document.createElement('script');
    try {
      element.textContent = text;
    } catch {
      // Reported as a violation.
    }
    document.head.append(element);
  }, script);

it('uses everything of the page without a violation, and without a request to another origin', async () => {
  const { page, violations, requests, messages, close } = await openTab(shared.browser);
  onTestFinished(close);
  await page.goto(shared.store.address);
  await addPlant(page, { id: '1', name: 'Monstera' });
  await page.getByRole('listitem').getByText('stored').waitFor();
  await chooseFile(page, makePlantsFile(50, { faultyEvery: 10 }));
  await addButton(page).click();
  await readSummary(page);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: /^Download/ }).click();
  await (await download).path();
  await page.getByRole('button', { name: 'Forget token' }).click();
  await page.getByRole('button', { name: 'Use token' }).waitFor();
  const origins = new Set(requests.map((request) => new URL(request.url()).origin));
  expect({ violations, messages, origins: [...origins] }).toEqual({
    violations: [],
    messages: [],
    origins: [shared.store.baseUrl],
  });
});

it.each([
  [
    'an inline script',
    /^(script-src|require-trusted-types-for)/,
    (page: Page) => runInPage(page, 'document.title = "changed"'),
  ],
  [
    'a script of another origin',
    /^(script-src|require-trusted-types-for)/,
    (page: Page) =>
      page.evaluate(() => {
        const element = document.createElement('script');
        try {
          element.src = 'http://127.0.0.1:9/script.js';
        } catch {
          // Reported as a violation.
        }
        document.head.append(element);
      }),
  ],
  [
    'a request to another origin',
    /^connect-src/,
    (page: Page) => page.evaluate(() => void fetch('http://127.0.0.1:9/').catch(() => undefined)),
  ],
  [
    'a form that is sent to another origin',
    /^form-action/,
    (page: Page) =>
      page.evaluate(() => {
        const form = document.createElement('form');
        form.action = 'http://127.0.0.1:9/';
        document.body.append(form);
        form.submit();
      }),
  ],
])('blocks %s', async (_, directive, attack) => {
  const { page, violations, close } = await openTab(shared.browser);
  onTestFinished(close);
  await page.goto(shared.store.address);
  await page.getByRole('tab', { name: 'One plant' }).waitFor();
  await attack(page);
  await until(() => violations.some((violation) => directive.test(violation)));
  expect(await page.title()).not.toBe('changed');
});

it('cannot be shown in a frame', async () => {
  const { page, messages, close } = await openTab(shared.browser);
  onTestFinished(close);
  await page.setContent(`<iframe src="${shared.store.baseUrl}/"></iframe>`);
  await until(() => messages.some((message) => message.includes('frame')));
  expect(await page.frameLocator('iframe').getByRole('heading').count()).toBe(0);
});
