import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';

interface SourceFile {
  readonly name: string;
  readonly text: string | Uint8Array;
}

/** The address of the import, with the token in its fragment. */
export function importAddress({ address }: { readonly address: string }): string {
  return address.replace('/#', '/import#');
}

/**
 * Chooses a file, and reviews its lines with the columns that were recognized, where the page asks for them; resolves once they are
 * compared with what is stored.
 */
export async function chooseFile(page: Page, { name, text }: SourceFile): Promise<void> {
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose file' }).click();
  // From the disk, since to hand over its content would block the main thread of the page.
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-file-'));
  try {
    writeFileSync(join(folder, name), text);
    await (await chooser).setFiles(join(folder, name));
    await page.getByRole('heading', { name: /^(Check the columns|Review)/ }).waitFor();
  } finally {
    rmSync(folder, { recursive: true });
  }
  const review = page.getByRole('button', { name: 'Review lines' });
  if (await review.isVisible()) await review.click();
  await page.getByRole('heading', { name: /^Review/ }).waitFor();
}

/** The button that starts the run: "Add 4,950 plants", or "Update 2 and add 14 plants". */
export function addButton(page: Page): Locator {
  return page.getByRole('button', { name: /^(Update [\d,]+ and add|Add) [\d,]+ plants?$/ });
}

/** How far a run is, from 0 to 1; 0 where none is shown. */
export function progressOf(page: Page): Promise<number> {
  return page
    .getByRole('progressbar', { name: 'Plants processed' })
    .evaluateAll(([bar]) => (bar instanceof HTMLProgressElement ? bar.position : 0));
}

/** Less than a test of a run may take (`runTimeout`), so that one that fails reports what did not happen. */
const outcomeTimeoutMs = 1_200_000;

/** How long a test with a run of many plants may take; only one that hangs does. */
export const runTimeout = { timeout: 2 * outcomeTimeoutMs };

/** Waits for the end of the run, continuing it where it was interrupted, and returns its counts as the page shows them. */
export async function readOutcome(page: Page) {
  const outcome = page.getByRole('heading', { name: / (added|updated) from / });
  const resume = page.getByRole('button', { name: 'Continue' });
  await outcome.or(resume).waitFor({ timeout: outcomeTimeoutMs });
  while (!(await outcome.isVisible())) {
    await resume.click();
    await page.getByRole('button', { name: 'Cancel' }).or(outcome).or(resume).waitFor();
    await outcome.or(resume).waitFor({ timeout: outcomeTimeoutMs });
  }
  const region = page.getByRole('region', { name: 'Import' });
  const title = (await region.getByRole('heading', { level: 1 }).textContent()) ?? '';
  const buttons = region.getByRole('group', { name: 'Show' }).getByRole('button');
  const tabs = (await buttons.allInnerTexts()).join(';');
  const count = (text: string, pattern: RegExp) =>
    Number((pattern.exec(text)?.[1] ?? '0').replaceAll(',', ''));
  return {
    stored: count(title, /^([\d,]+) plants? added/),
    replayed: count(tabs, /Unchanged\s+([\d,]+)/),
    rejected: count(title, /([\d,]+) (?:was|were) rejected/),
    skipped: count(title, /([\d,]+) (?:was|were) left out/),
  };
}
