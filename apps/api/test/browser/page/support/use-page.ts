import type { Locator, Page } from 'playwright-core';

/** Presses Tab, or Shift+Tab, until the element has the focus, as a person without a mouse would. */
export async function tabTo(element: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  const page = element.page();
  await element.waitFor();
  for (let pressed = 0; pressed < 100; pressed++) {
    if (await element.evaluate((node) => node === document.activeElement)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`Tab does not reach ${element}`);
}

/** Opens the sheet that adds plants; at its own address it opens by itself. */
async function openSheet(page: Page): Promise<void> {
  if (!new URL(page.url()).pathname.endsWith('/add')) {
    await page.locator('.status-bar', { hasText: /\d plants?/ }).waitFor({ state: 'attached' });
    // A store without plants has a form in place of the link.
    if ((await page.locator('.plants[data-empty]').count()) > 0) await page.keyboard.press('n');
    else await page.getByRole('link', { name: 'Add plant' }).click();
  }
  await field(page, 'Name').waitFor();
}

/** Adds one plant by keyboard alone. */
export async function addPlant(
  page: Page,
  { id, name, tag }: { readonly id: string; readonly name: string; readonly tag?: string },
): Promise<void> {
  await openSheet(page);
  const change = page.getByRole('button', { name: 'Change the ID' });
  if (await change.isVisible()) {
    await tabTo(change);
    await page.keyboard.press('Enter');
  }
  for (const [label, text] of Object.entries({ ID: id, Name: name, Tag: tag ?? '' })) {
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

/** Opens a link with a token in a tab that has another one. */
export async function useLink(page: Page, link: string): Promise<void> {
  await page.goto(link);
  await page.getByRole('button', { name: 'Use the token from the link' }).click();
}

/** Opens the sheet about the token from the side bar. */
export async function openAccess(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Access', exact: true }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
}

/** Forgets the token. */
export async function forgetToken(page: Page): Promise<void> {
  await openAccess(page);
  await page.getByRole('button', { name: 'Sign out' }).click();
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
