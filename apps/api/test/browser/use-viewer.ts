import type { Locator, Page } from 'playwright-core';
import type { PlantStore } from './page/support/start-plant-store.js';

/** Opens the viewer, and waits until Swagger UI shows the operations. */
export async function openViewer(page: Page, { baseUrl }: PlantStore): Promise<void> {
  await page.goto(`${baseUrl}/docs`);
  await operation(page, 'createPlant').waitFor();
}

export function operation(page: Page, operationId: string): Locator {
  return page.locator(`#operations-plants-${operationId}`);
}

/** Opens an operation, so that it can be sent. */
export async function tryOut(page: Page, operationId: string): Promise<Locator> {
  const opened = operation(page, operationId);
  await opened.locator('.opblock-summary-control').click();
  await opened.getByRole('button', { name: 'Try it out' }).click();
  return opened;
}

/** Sends an operation, and returns the status and the body of the reply as they are shown. */
export async function execute(opened: Locator): Promise<{ readonly status: string; readonly body: string }> {
  await opened.getByRole('button', { name: 'Execute' }).click();
  const reply = opened.locator('.live-responses-table tbody');
  await reply.waitFor();
  const status = (await reply.locator('.response-col_status').textContent()) ?? '';
  const bodies = await reply.locator('.highlight-code pre').allInnerTexts();
  return { status: status.trim(), body: bodies.join('') };
}

/** Opens the dialog for the token. */
export async function openDialog(page: Page): Promise<void> {
  await page.locator('.authorization').getByRole('button', { name: 'Authorize' }).click();
  await page.getByLabel('Token', { exact: true }).waitFor();
}

/** Gives the token in the dialog. */
export async function giveToken(page: Page, { token }: PlantStore): Promise<void> {
  await page.getByLabel('Token', { exact: true }).fill(token);
  await page.locator('form').getByRole('button', { name: 'Authorize' }).click();
  await page.getByText('A token is in use').waitFor();
}
