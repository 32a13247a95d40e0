import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { launchChromium } from '../../launch-chromium.js';
import { openTab, type Tab } from './open-tab.js';
import { type PlantStore, startPlantStore } from './start-plant-store.js';

/** What the tests of a file share; it is there in hooks and tests only. */
interface SetUp {
  readonly browser: Browser;
  /** Opens an empty tab, until the end of the test. */
  openTab(options?: BrowserContextOptions): Promise<Tab>;
  readonly store: PlantStore;
}

/** Launches Chromium and starts the service before the tests of a file, and ends both after them. */
export function setUp(settings?: Readonly<Record<string, string>>): SetUp {
  const shared: { -readonly [Name in keyof SetUp]?: SetUp[Name] } = setUpBrowser();
  beforeAll(async () => {
    shared.store = await startPlantStore(settings);
  });
  afterAll(() => shared.store?.stop());
  return shared as SetUp;
}

/** Launches Chromium before the tests of a file, and ends it after them. */
export function setUpBrowser(): Omit<SetUp, 'store'> {
  const shared: { -readonly [Name in keyof SetUp]?: SetUp[Name] } = {
    async openTab(options) {
      const tab = await openTab((shared as SetUp).browser, options);
      onTestFinished(tab.close);
      return tab;
    },
  };
  beforeAll(async () => {
    shared.browser = await launchChromium();
  });
  afterAll(() => shared.browser?.close());
  return shared as SetUp;
}
