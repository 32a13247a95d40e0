import type { Browser } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { launchChromium } from '../../launch-chromium.js';
import { type PlantStore, startPlantStore } from './start-plant-store.js';

/** What the tests of a file share. */
export interface SetUp {
  readonly browser: Browser;
  readonly store: PlantStore;
}

/** Launches Chromium and starts the service before the tests of a file, and ends both after them. */
export function setUp(settings?: Readonly<Record<string, string>>): SetUp {
  const browser = setUpBrowser();
  let store: PlantStore | undefined;
  beforeAll(async () => {
    store = await startPlantStore(settings);
  });
  afterAll(() => store?.stop());
  return {
    get browser() {
      return browser();
    },
    get store() {
      return started(store);
    },
  };
}

/** Launches Chromium before the tests of a file, and ends it after them. */
export function setUpBrowser(): () => Browser {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());
  return () => started(browser);
}

function started<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('It is there in hooks and tests only');
  return value;
}
