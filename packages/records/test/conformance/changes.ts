import { INT64_MAX, INT64_MIN } from '@plant-store/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  type ChangePosition,
  isTombstone,
  type ListLimits,
  type RecordChange,
  removalOf,
} from '../../src/index.js';
import { highLimits, type Subject } from './use-store.js';

export function testChanges<Fields extends object>(subject: Subject<Fields>): void {
  const { record, createAll } = subject;
  /** Creates records one after the other. */
  const create = async (...ids: bigint[]) => {
    for (const id of ids) await subject.store.create(record(id));
  };
  const update = (id: bigint, original: string) =>
    subject.store.change({
      id,
      bytes: 0,
      replace: (existing) =>
        existing === undefined || isTombstone(existing) ? undefined : { ...existing, original },
    });
  const remove = (id: bigint, retire = false) => subject.store.change(removalOf(id, retire));
  const expectExpired = (position: ChangePosition) =>
    expect(subject.store.listChanges(position, highLimits)).rejects.toMatchObject({
      errorName: 'cursor_expired',
    });
  /** All changes after a position, also in words, however many pages they are on. */
  async function follow(after?: ChangePosition, limits: Partial<ListLimits> = {}) {
    const changes: RecordChange<Fields>[] = [];
    let last: ChangePosition | undefined = after;
    for (let hasMore = true; hasMore; ) {
      const page = await subject.store.listChanges(last, { ...highLimits, ...limits });
      changes.push(...page.changes);
      ({ last, hasMore } = page);
    }
    if (last === undefined) throw new Error('There is no page');
    const seen = changes.map(
      ({ record: now }) => `${now.id} ${isTombstone(now) ? 'deleted' : (now.original ?? 'created')}`,
    );
    return { seen, last, changes };
  }
  const hasNone = () => subject.opened.hasChanges === false;

  it('says so if it has no order of changes', async ({ skip }) => {
    skip(!hasNone());
    await expect(subject.store.listChanges(undefined, highLimits)).rejects.toMatchObject({
      errorName: 'changes_unsupported',
    });
  });

  describe('with an order', () => {
    beforeEach(({ skip }) => skip(hasNone()));

    it('returns the last change of each record once, in the order of the changes', async () => {
      const { generation, ...start } = await subject.store.lastChange();
      expect(start).toEqual({ number: 0, id: INT64_MAX });
      expect((await follow()).seen).toEqual([]);
      await create(3n, 1n, INT64_MAX, 2n);
      await update(1n, 'updated');
      await remove(3n);
      await remove(INT64_MIN, true);
      const { seen, last } = await follow();
      expect(seen).toEqual([
        `${INT64_MAX} created`,
        '2 created',
        '1 updated',
        '3 deleted',
        `${INT64_MIN} deleted`,
      ]);
      expect(await subject.store.lastChange()).toEqual({ generation, number: last.number, id: last.id });
      for (const limits of [{ matches: 1 }, { matches: 2 }, { records: 1 }, { bytes: 1 }])
        expect((await follow(undefined, limits)).seen).toEqual(seen);
      expect(await follow(last)).toEqual({ seen: [], last, changes: [] });
      // Neither of these changes anything.
      await create(3n, 2n);
      await remove(3n);
      expect(await follow(last)).toEqual({ seen: [], last, changes: [] });
      await create(4n);
      expect((await follow(last)).seen).toEqual(['4 created']);
    });

    it('returns the records as they are now', async () => {
      const records = [record(1n, 0), record(2n, 1), record(3n, 2)].map((one) => ({ ...one, addedAt: 5 }));
      await createAll(records);
      const { changes } = await follow();
      expect(changes).toHaveLength(3);
      for (const one of records)
        expect(changes).toContainEqual(expect.objectContaining({ record: one, at: 5 }));
    });

    it('returns a record again that changes after it was the last one', async () => {
      await create(1n, 2n);
      let { last } = await follow();
      for (const [change, seen] of [
        [() => update(2n, 'first'), '2 first'],
        [() => update(2n, 'second'), '2 second'],
        [() => remove(2n), '2 deleted'],
      ] as const) {
        await change();
        const next = await follow(last);
        expect(next.seen).toEqual([seen]);
        ({ last } = next);
      }
    });

    it('returns each of many changes at the same time once', async () => {
      const ids = Array.from({ length: 100 }, (_, id) => BigInt(id));
      await createAll(ids.map((id) => record(id)));
      await Promise.all(ids.map((id) => (id % 2n === 0n ? update(id, 'u') : remove(id))));
      const { seen } = await follow(undefined, { matches: 7 });
      const expected = ids.map((id) => `${id} ${id % 2n === 0n ? 'u' : 'deleted'}`);
      expect(seen.toSorted()).toEqual(expected.toSorted());
    });

    it('returns the time of each change', async () => {
      await create(1n, 2n);
      await subject.store.create({ ...record(3n), addedAt: 5 });
      await subject.store.create({ ...record(4n), addedAt: null });
      await update(3n, 'updated');
      await remove(2n);
      const { changes } = await follow();
      const now = expect.closeTo(Date.now(), -5);
      expect(changes.map(({ record: { id }, at }) => [id, at])).toEqual([
        [1n, now],
        [4n, undefined],
        [3n, now],
        [2n, now],
      ]);
    });

    it('rejects a position that no change has had yet', async () => {
      await create(1n);
      const { number = 0, ...last } = await subject.store.lastChange();
      await expectExpired({ ...last, number: number + 1_000_000 });
    });

    it('rejects every earlier position once cursors are invalidated', async ({ skip }) => {
      const { invalidateCursors } = subject.opened;
      skip(invalidateCursors === undefined);
      await create(1n, 2n);
      const { last: middle } = await subject.store.listChanges(undefined, { ...highLimits, matches: 1 });
      const { last: end } = await follow();
      for (let time = 0; time < 2; time++) {
        await invalidateCursors?.();
        for (const position of [middle, end, { generation: '', id: 1n }]) await expectExpired(position);
        const { seen, last } = await follow();
        expect(seen).toEqual(['1 created', '2 created']);
        expect((await follow(last)).seen).toEqual([]);
        expect((await subject.store.lastChange()).generation).toBe(last.generation);
      }
    });
  });
}
