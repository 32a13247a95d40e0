import { getEventListeners } from 'node:events';
import { expect, it, vi } from 'vitest';
import { createClient } from '../src/create-client.js';
import { isPlantStoreError } from '../src/errors/plant-store-error.js';
import type { Fetch } from '../src/options.js';
import { createFakePlantStore, type Fault } from '../src/testing/index.js';

/** What may happen to an attempt. */
const faults: readonly Fault[] = [
  { kind: 'delay', ms: 0 },
  { kind: 'delay', ms: 1, stored: true },
  { kind: 'drop' },
  { kind: 'drop', stored: true },
  { kind: 'refuse' },
  ...[400, 401, 429, 500, 502, 503].map((status): Fault => ({ kind: 'status', status })),
  { kind: 'status', status: 503, stored: true, headers: { 'Retry-After': '0' } },
  { kind: 'status', status: 504, stored: true },
  { kind: 'malformed', body: 'html' },
  { kind: 'malformed', body: 'truncated' },
];
const storesPlant = (fault: Fault) => fault.kind === 'delay' || fault.kind === 'malformed' || isLate(fault);
/** Whether the plant is stored, although the reply does not say so. */
const isLate = (fault: Fault) => 'stored' in fault && fault.stored === true && fault.kind !== 'delay';
const isRetried = ({ kind, ...fault }: Fault) =>
  ['drop', 'refuse'].includes(kind) || ('status' in fault && ![400, 401].includes(fault.status));

/** Creates a plant while each attempt meets a fault, and describes what went wrong, if anything. */
async function violationsOf(...script: readonly Fault[]): Promise<string[]> {
  const store = createFakePlantStore();
  store.fail(...script);
  const bodies = new Set<unknown>();
  let attempts = 0;
  const fetch: Fetch = (url, init) => {
    attempts++;
    bodies.add(init.body);
    return store.fetch(url, init);
  };
  const { signal } = new AbortController();
  const { createPlant } = createClient({ ...store, fetch, retries: script.length - 1, signal });
  const result = await createPlant({ body: { id: 2n ** 53n + 1n, name: 'Fern' } }).catch((error) => error);

  const finalIndex = script.findIndex((fault) => !isRetried(fault));
  const made = script.slice(0, finalIndex < 0 ? script.length : finalIndex + 1);
  const last = made.at(-1);
  const [wasStored, isStored] = [made.slice(0, -1).some(storesPlant), made.some(storesPlant)];
  const isError = isPlantStoreError(result);
  const rules = {
    'the plant is stored, or not': store.plants.size === Number(isStored),
    'it makes the attempts that may help, and no other': attempts === made.length,
    'all attempts send the same': bodies.size === 1,
    'it returns or throws': isError || result.status > 0,
    'it returns the last reply':
      isError || (last?.kind === 'delay' ? 200 : Object(last).status) === result.status,
    'a success is a replay or not': result.status !== 200 || isError || result.replayed === wasStored,
    'nothing was sent':
      !isError || (result.outcome === 'not_sent') === made.every(({ kind }) => kind === 'refuse'),
    'nothing was stored': !isError || result.outcome !== 'rejected' || !isStored,
    'no listener is left': getEventListeners(signal, 'abort').length === 0,
  };
  const broken = Object.entries(rules).filter(([, holds]) => !holds);
  return broken.map(([rule]) => `${rule}: ${JSON.stringify(script)}`);
}

it('makes the right attempts, and knows what it may have stored, whatever happens to three attempts', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
  for (const last of [{ kind: 'delay', ms: 0 }, { kind: 'refuse' }] satisfies Fault[]) {
    const scripts = faults.flatMap((first) => faults.map((second) => [first, second, last]));
    expect((await Promise.all(scripts.map((script) => violationsOf(...script)))).flat()).toEqual([]);
  }
});
