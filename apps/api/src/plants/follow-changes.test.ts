import { setTimeout as delay } from 'node:timers/promises';
import { writeChangeCursor } from '@plant-store/contract/cursor';
import { expect, it } from 'vitest';
import type { ListGate } from '../runtime/list-gate.js';
import { createFollowChanges } from './follow-changes.js';
import type { PlantStore } from './plant-store.js';

it('shares no read that began before a change that others got already', async () => {
  const id = 1n;
  let number = 1;
  let isHeld = true;
  let release = () => undefined as unknown;
  const store: Pick<PlantStore, 'listChanges' | 'lastChange'> = {
    lastChange: async () => ({ number, id }),
    async listChanges(after, { matches }) {
      const place = { number, id };
      const changes = number > 1 ? [{ record: { id, name: 'Fern' }, at: undefined }] : [];
      if (matches === 2 && isHeld) await new Promise((resolve) => (release = () => resolve(undefined)));
      return { changes, last: changes.length > 0 ? place : after, hasMore: false, readMs: 0 };
    },
  };
  const lists: ListGate = { read: (_, list) => list.read(1) };
  const { signal } = new AbortController();
  const options = { store, lists, compose: () => undefined, pollMs: 5, draining: signal };
  const followChanges = createFollowChanges(options);
  const after = writeChangeCursor({ number, id });
  const follow = (limit: number) =>
    followChanges({ query: { after, limit }, waitMs: 20_000, caller: 1, gone: signal });

  const other = follow(1);
  const early = follow(2);
  number = 2;
  expect((await other).changes).toHaveLength(1);
  isHeld = false;
  const late = follow(2);
  // It rests for a short time after the reply to the other one.
  await delay(50);
  release();
  const releasedAt = performance.now();
  for (const page of await Promise.all([early, late])) expect(page.changes).toHaveLength(1);
  expect(performance.now() - releasedAt).toBeLessThan(10_000);
});
