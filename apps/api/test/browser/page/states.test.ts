import { beforeAll, expect, it } from 'vitest';
import { openState, states } from './states.js';
import { expectUsable } from './support/expect-usable.js';
import { openTab, type Tab } from './support/open-tab.js';
import { setUp } from './support/set-up.js';

const shared = setUp();

let tab: Tab;
beforeAll(async () => {
  tab = await openTab(shared.browser, { reducedMotion: 'reduce' });
});

it.each(states)('is usable, without an error: %s', async (state) => {
  await openState(state, tab.page, shared.store);
  await expectUsable(tab.page, state);
  // What the browser reports of a reply, or of none, is no error of the page.
  const errors = tab.messages.filter(
    (message) => !/^error: (Failed to load resource|Error: Part of this page did not load)/.test(message),
  );
  expect.soft([...errors, ...tab.violations]).toEqual([]);
  tab.forget();
});
