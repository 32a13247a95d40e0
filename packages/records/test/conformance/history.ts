import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Change, isTombstone, type RecordState, removalOf, type Stored } from '../../src/index.js';
import { highLimits, type Subject } from './use-store.js';

export function testHistory<Fields extends object>(subject: Subject<Fields>): void {
  const { samples, record, createAll, anyFields } = subject;
  /** Replaces the fields of a record. */
  const to = (id: bigint, fields: Fields, by?: string): Change<Fields> => ({
    id,
    bytes: 100,
    by,
    replace: (existing) =>
      existing === undefined || isTombstone(existing)
        ? undefined
        : { ...fields, id, addedAt: existing.addedAt ?? null, original: existing.original ?? 'o' },
  });
  const update = (id: bigint, at: 0 | 1 | 2, by?: string) => subject.store.change(to(id, samples[at], by));
  const remove = (id: bigint) => subject.store.change(removalOf<Fields>(id));
  const reuse = (one: Stored<Fields>, by?: string) =>
    subject.store.change({ id: one.id, bytes: 100, by, replace: () => one });
  const list = (id: bigint, start?: number, limits = {}) =>
    subject.store.listStates(id, start, { ...highLimits, ...limits });
  async function statesOf(id: bigint): Promise<readonly RecordState<Fields>[]> {
    const { states = [], next } = (await list(id)) ?? {};
    expect(next).toBeUndefined();
    return states;
  }
  /** Since when the first state is there is not always known. All others begin when the one before ends. */
  function expectChain(states: readonly RecordState<Fields>[]): void {
    expect(states[0]?.until).toBeUndefined();
    for (const [at, { place = Number.POSITIVE_INFINITY, from }] of states.slice(0, -1).entries()) {
      expect(states[at + 1]?.until).toBe(from);
      expect(states[at + 1]?.place).toBeLessThan(place);
    }
  }

  const keepsNothing = () => subject.opened.hasChanges === false;

  it('has only the current state if the store keeps nothing', async ({ skip }) => {
    skip(!keepsNothing());
    await createAll([{ ...record(1n, 0), addedAt: 5 }]);
    await update(1n, 1, '9');
    await update(1n, 2, '8');
    expect(await statesOf(1n)).toMatchObject([{ fields: samples[2], by: '8' }]);
    expect(await list(1n, 5)).toEqual({ states: [], next: undefined });
    expect(await list(2n)).toBeUndefined();
  });

  describe('of a store that keeps what updates replace', () => {
    beforeEach(({ skip }) => skip(keepsNothing()));

    it('of what no record has, or of a deleted one, is none', async () => {
      expect(await list(1n)).toBeUndefined();
      await createAll([record(1n), record(2n)]);
      await remove(1n);
      expect(await list(1n)).toBeUndefined();
    });

    it('begins with what was created, and when, and by whom', async () => {
      await createAll([{ ...record(1n, 0), addedAt: 5, addedBy: '7' }, record(2n, 1)]);
      await subject.store.create({ ...record(3n), addedAt: null });
      expect(await statesOf(1n)).toEqual([{ fields: samples[0], from: 5, until: undefined, by: '7' }]);
      expect(await statesOf(2n)).toMatchObject([
        { fields: samples[1], from: expect.closeTo(Date.now(), -5) },
      ]);
      expect(await statesOf(3n)).toMatchObject([{ fields: samples[2], from: undefined }]);
    });

    it('has each state that was replaced, the latest first, and who has made each', async () => {
      await createAll([
        { ...record(1n, 0), addedAt: 5, addedBy: '7' },
        { ...record(2n, 0), addedAt: 6 },
      ]);
      await update(1n, 1, 'subject x');
      await update(1n, 2, '9');
      await update(1n, 0, '8');
      const states = await statesOf(1n);
      expect(states.map(({ fields, by }) => [fields, by])).toEqual([
        [samples[0], '8'],
        [samples[2], '9'],
        [samples[1], 'subject x'],
        [samples[0], '7'],
      ]);
      expect(states.at(-1)?.from).toBe(5);
      expectChain(states);
      expect(await statesOf(2n)).toHaveLength(1);
    });

    it('has no state that a change left as it was', async () => {
      await createAll([{ ...record(1n, 0), addedAt: 5 }]);
      await update(1n, 0);
      expect((await subject.store.find(1n)) ?? {}).toMatchObject({ original: 'o' });
      expect(await statesOf(1n)).toHaveLength(1);
      await update(1n, 1);
      await subject.store.change({ id: 1n, bytes: 0, replace: () => undefined });
      for (let times = 0; times < 2; times++) {
        expect((await statesOf(1n)).map(({ fields }) => fields)).toEqual([samples[1], samples[0]]);
        await update(1n, 1);
      }
    });

    it('is erased by a delete, and starts again once the id is reused', async () => {
      await createAll([record(1n, 0), record(2n, 0)]);
      for (const id of [1n, 2n]) await update(id, 1);
      await remove(1n);
      await reuse({ ...record(1n, 2), addedAt: 9 }, '7');
      expect(await statesOf(1n)).toEqual([{ fields: samples[2], from: 9, until: undefined, by: '7' }]);
      await update(1n, 0);
      expect((await statesOf(1n)).map(({ fields }) => fields)).toEqual([samples[0], samples[2]]);
      expect(await statesOf(2n)).toHaveLength(2);
    });

    it('comes page by page, with no state twice or left out, whatever the record becomes', async () => {
      await createAll([record(1n, 0)]);
      for (let at = 1; at < 10; at++) await update(1n, (at % 3) as 0 | 1 | 2);
      const all = await statesOf(1n);
      expect(all).toHaveLength(10);
      for (const limits of [{ matches: 1 }, { matches: 4 }, { bytes: 1 }]) {
        const states: RecordState<Fields>[] = [];
        let next: number | undefined;
        do {
          const page = await list(1n, next, limits);
          expect(page?.states.length).toBeGreaterThan(0);
          states.push(...(page?.states ?? []));
          next = page?.next;
        } while (next !== undefined);
        expect(states).toEqual(all);
      }
      const first = await list(1n, undefined, { matches: 1 });
      for (const at of [0, 0, 1] as const) await update(1n, at);
      const rest = await list(1n, first?.next);
      expect(rest?.states).toEqual(all.slice(1));
      const oldest = all.at(-1)?.place ?? 0;
      expect(await list(1n, oldest - 1)).toEqual({ states: [], next: undefined });
    });

    it('has one state for each of many updates at the same time', async () => {
      await createAll([record(1n, 0), record(2n, 0)]);
      const updates = Array.from({ length: 30 }, (_, at) =>
        [1n, 2n].map((id) => update(id, (at % 3) as 0 | 1 | 2, `${at}`)),
      );
      const outcomes = await Promise.all(updates.flat());
      for (const id of [1n, 2n]) {
        const states = await statesOf(id);
        expectChain(states);
        // Each of these has replaced other fields.
        const isNew = ({ before, after }: (typeof outcomes)[0]) =>
          after?.id === id && before !== undefined && !subject.isSame(before as Fields, after as Fields);
        expect(states).toHaveLength(1 + outcomes.filter(isNew).length);
        for (const [at, { fields }] of states.slice(1).entries())
          expect(subject.isSame(fields, states[at]?.fields as Fields)).toBe(false);
        expect(await subject.store.find(id)).toMatchObject(states[0]?.fields ?? {});
      }
    });

    it('ends with the record as it is, whatever updates, deletes, and reuses meet', async () => {
      for (let id = 0n; id < 10n; id++) {
        await createAll([record(id, 0)]);
        await Promise.all([
          ...([1, 2, 0, 1] as const).map((at) => update(id, at)),
          remove(id),
          subject.store.change({
            id,
            bytes: 100,
            replace: (existing) =>
              existing !== undefined && isTombstone(existing) ? { ...record(id, 2), addedAt: 9 } : undefined,
          }),
        ]);
        const found = await subject.store.find(id);
        if (found === undefined || isTombstone(found)) expect(await list(id)).toBeUndefined();
        else {
          const states = await statesOf(id);
          expectChain(states);
          expect(found).toMatchObject(states[0]?.fields ?? {});
        }
      }
    });

    it('has any fields exactly as they were', async () => {
      const all = fc.sample(anyFields, { numRuns: 50, seed: 1 });
      await createAll([{ ...(all[0] as Fields), id: 1n }]);
      for (const fields of all.slice(1)) await subject.store.change(to(1n, fields));
      const distinct = all.filter((fields, at) => at === 0 || !subject.isSame(fields, all[at - 1] as Fields));
      const { states = [] } = (await list(1n)) ?? {};
      expect(states.map(({ fields }) => fields)).toEqual(distinct.toReversed());
    });
  });
}
