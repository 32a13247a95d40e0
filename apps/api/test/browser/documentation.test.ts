import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestService, type TestService } from '../support/start-test-service.js';
import { launchChromium } from './launch-chromium.js';

let browser: Browser;
let service: TestService;
beforeAll(async () => {
  browser = await launchChromium();
  service = await startTestService();
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

it.each([320, 390, 768, 1280])('fits a window %d px wide, with an operation open', async (width) => {
  const tab = await browser.newPage({ baseURL: service.baseUrl, viewport: { width, height: 844 } });
  await tab.goto('/docs');
  await tab.locator('.opblock-summary-control').first().click();
  await tab.locator('.responses-table .response-col_description').last().waitFor();
  expect(await tab.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  await tab.close();
});
