import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import type { PlantsFile } from './plants-file.js';

/** Presses Tab, or Shift+Tab, until the element has the focus, as a person without a mouse would. */
export async function tabTo(element: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  const page = element.page();
  await element.waitFor();
  for (let pressed = 0; pressed < 40; pressed++) {
    if (await element.evaluate((node) => node === document.activeElement)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`Tab does not reach ${element}`);
}

/** Opens the sheet that adds plants, unless it is open. */
async function openSheet(page: Page): Promise<void> {
  const link = page.getByRole('link', { name: 'Add a plant' });
  const name = field(page, 'Name');
  // While the sheet is open, what is behind it has no role.
  await link.or(name).first().waitFor();
  if (!(await name.isVisible())) await link.click();
  await name.waitFor();
}

/** Adds one plant by keyboard alone. */
export async function addPlant(
  page: Page,
  { id, name, tag }: { readonly id: string; readonly name: string; readonly tag?: string },
): Promise<void> {
  await openSheet(page);
  const change = page.getByRole('button', { name: 'Change the id' });
  if (await change.isVisible()) {
    await tabTo(change);
    await page.keyboard.press('Enter');
  }
  for (const [label, text] of Object.entries({ Id: id, Name: name, Tag: tag ?? '' })) {
    await tabTo(field(page, label));
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.press('Delete');
    await page.keyboard.type(text);
  }
  await page.keyboard.press('Enter');
}

/** A field of the sheet that adds plants. */
export function field(page: Page, label: string): Locator {
  return page.getByRole('dialog', { name: 'Add a plant' }).getByLabel(label, { exact: true });
}

/** Opens the view that imports plants. */
export async function openImport(page: Page): Promise<void> {
  const link = page.getByRole('link', { name: 'Import' });
  const sheet = page.getByRole('dialog');
  await link.or(sheet).first().waitFor();
  if (await sheet.isVisible()) await page.keyboard.press('Escape');
  await link.click();
}

/** Opens the view that imports plants and chooses the file; resolves once the run can be started. */
export async function chooseFile(page: Page, file: PlantsFile): Promise<void> {
  await openImport(page);
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: /Choose file/ }).click();
  // From the disk, since to hand over its content would block the main thread of the page.
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-file-'));
  try {
    const path = join(folder, file.name);
    writeFileSync(path, file.text);
    await (await chooser).setFiles(path);
    await addButton(page).waitFor();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The button that starts the run: "Add 19,800 plants". */
export function addButton(page: Page): Locator {
  return page.getByRole('button', { name: /^Add [\d,.\s]+ plants?$/ });
}

/** The text that assistive technology reads after the name of a field: hints and problems. */
export function describedBy(element: Locator): Promise<string> {
  return element.evaluate((node) =>
    (node.getAttribute('aria-describedby') ?? '')
      .split(/\s+/)
      .map((id) => document.getElementById(id)?.textContent ?? '')
      .join(' '),
  );
}

/** What a run has come to, as the page shows it. */
export interface Counts {
  readonly stored: number;
  readonly replayed: number;
  readonly rejected: number;
  readonly open: number;
}

/** How far a run is, from 0 to 1; 0 where none is shown. */
export function progressOf(page: Page): Promise<number> {
  return page
    .getByRole('progressbar')
    .evaluateAll(([bar]) => (bar instanceof HTMLProgressElement ? bar.position : 0));
}

/** Less than a test of a run may take (`runTimeout`), so that one that fails reports what did not happen. */
const summaryTimeoutMs = 1_200_000;

/** How long a test with a run of many plants may take; only one that hangs does. */
export const runTimeout = { timeout: 2 * summaryTimeoutMs };

/** Waits for the end of the run, resuming it where it has paused, and returns its counts. */
export async function readSummary(page: Page): Promise<Counts> {
  const summary = page.getByRole('heading', { name: 'Summary' });
  const resume = page.getByRole('button', { name: 'Resume' });
  await summary.or(resume).waitFor({ timeout: summaryTimeoutMs });
  while (!(await summary.isVisible())) {
    // It may go on by itself, or end, before it is pressed.
    await resume.click({ timeout: 500 }).catch(() => undefined);
    await summary.or(resume).waitFor({ timeout: summaryTimeoutMs });
  }
  return readCounts(page);
}

/** The counts that the page shows; 0 for what it does not. */
export async function readCounts(page: Page): Promise<Counts> {
  const panel = page.getByRole('region', { name: 'Many plants' });
  const titles = await panel.getByRole('term').allInnerTexts();
  const counts = await panel.getByRole('definition').allInnerTexts();
  const count = (title: string) => Number((counts[titles.indexOf(title)] ?? '0').replaceAll(',', ''));
  return {
    stored: count('Stored'),
    replayed: count('Was there already'),
    rejected: count('Rejected'),
    open: count('Not confirmed or not sent'),
  };
}
