import { beforeAll, expect, it } from 'vitest';
import { openState, states } from './states.js';
import { expectUsable, findViolations } from './support/expect-usable.js';
import { openTab, type Tab } from './support/open-tab.js';
import { setUp } from './support/set-up.js';
import { translatePage } from './support/translate-page.js';

const shared = setUp();

let tab: Tab;
let translated: Tab;
beforeAll(async () => {
  tab = await openTab(shared.browser, { reducedMotion: 'reduce' });
  translated = await openTab(shared.browser, { reducedMotion: 'reduce' });
  await translated.page.addInitScript(translatePage);
});

/** What the page logged, and what nothing in it caught, since this was asked last. */
function takeErrors({ messages, violations, forget }: Tab): readonly string[] {
  // What the browser reports of a reply, or of none, is no error of the page.
  const errors = messages.filter(
    (message) => !/^error: (Failed to load resource|Error: Part of this page did not load)/.test(message),
  );
  const all = [...errors, ...violations];
  forget();
  return all;
}

it.each(states)('is usable, also where the browser translates it: $name', async (state) => {
  await openState(state, tab.page, shared.store);
  await expectUsable(tab.page, state.name);
  expect.soft(takeErrors(tab)).toEqual([]);

  const { page } = translated;
  const leave = await openState(state, page, shared.store);
  expect.soft(await findViolations(page)).toEqual([]);
  expect.soft(await page.locator('font > font').count()).toBeGreaterThan(3);
  await leave();
  expect.soft(takeErrors(translated)).toEqual([]);
});
