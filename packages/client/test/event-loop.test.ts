import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { bundle } from '../scripts/bundle.js';

// A loop of microtasks keeps the event loop from its next turn, and with it every timer of the program.

const folder = mkdtempSync(join(import.meta.dirname, '../node_modules/.bundled-'));
beforeAll(() => bundle(folder));
afterAll(() => rmSync(folder, { recursive: true }));

type Index = typeof import('../src/index.js');
type Testing = typeof import('../src/testing/index.js');

/** Imports both entries: from the sources, where they share modules, and as the build bundles them, each with copies of its own. */
const load: Record<string, () => Promise<[Index, Testing]>> = {
  sources: () => Promise.all([import('../src/index.js'), import('../src/testing/index.js')]),
  'built entries': () => Promise.all([importBuilt('index'), importBuilt('testing/index')]),
};
const importBuilt = (entry: string) => import(/* @vite-ignore */ `${pathToFileURL(folder)}/${entry}.js`);

it.each(Object.entries(load))('ends a wait for changes with its call, in %s', async (_name, loadEntries) => {
  const [{ createClient }, { createFakePlantStore }] = await loadEntries();
  const store = createFakePlantStore();
  const client = createClient(store);
  // The first call takes longer.
  await client.listPlants();
  // Each look for changes sets the place from which it looks.
  const looks = vi.spyOn(URLSearchParams.prototype, 'set');

  const call = client.listChanges({ query: { after: '0', wait: 10 }, timeoutMs: 500 });
  await expect(call).rejects.toThrow('got no reply in 500 ms');
  const whenEnded = looks.mock.calls.length;
  for (let turn = 0; turn < 3; turn++) await nextTurn();

  expect(whenEnded).toBeGreaterThan(0);
  expect(looks).toHaveBeenCalledTimes(whenEnded);
  looks.mockRestore();
});
