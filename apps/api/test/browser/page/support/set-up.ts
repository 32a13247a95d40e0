import type { Browser } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { launchChromium } from '../../launch-chromium.js';
import { type PlantStore, startPlantStore } from './start-plant-store.js';

/** What the tests of a file share; it is there in hooks and tests only. */
interface SetUp {
  readonly browser: Browser;
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
export function setUpBrowser(): Pick<SetUp, 'browser'> {
  const shared: { browser?: Browser } = {};
  beforeAll(async () => {
    shared.browser = await launchChromium();
  });
  afterAll(() => shared.browser?.close());
  return shared as SetUp;
}
