import { beforeAll, it } from 'vitest';
import { openState, states } from './states.js';
import { expectUsable } from './support/expect-usable.js';
import { openTab, type Tab } from './support/open-tab.js';
import { setUp } from './support/set-up.js';

const shared = setUp();

let tab: Tab;
beforeAll(async () => {
  tab = await openTab(shared.browser, { reducedMotion: 'reduce' });
});

it.each(states)('is usable: $name', async (state) => {
  await openState(state, tab.page, shared.store);
  await expectUsable(tab.page, state.name);
});
