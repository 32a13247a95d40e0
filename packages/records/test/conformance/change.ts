import { expect, it } from 'vitest';
import { type Change, isTombstone, removalOf, type Stored, type StoredRecord } from '../../src/index.js';
import { highLimits, type Subject, taken, tombstone } from './use-store.js';

export function testChange<Fields extends object>(subject: Subject<Fields>): void {
  const { samples, record, createAll } = subject;

  /** Replaces a record, and nothing else. */
  const update = (
    id: bigint,
    replace: (existing: Stored<Fields>) => Stored<Fields> | undefined,
  ): Change<Fields> => ({
    id,
    bytes: 100,
    replace: (existing) => (existing === undefined || isTombstone(existing) ? undefined : replace(existing)),
  });
  /** Adds a text to `original`, which starts empty. */
  const append = (id: bigint, text: string) =>
    update(id, (existing) => ({ ...existing, original: (existing.original ?? '') + text }));
  /** Reuses the id of a deleted record. */
  const reuse = (one: Stored<Fields>): Change<Fields> => ({
    id: one.id,
    bytes: 100,
    replace: (existing) => (existing !== undefined && isTombstone(existing) ? one : undefined),
  });
  const remove = removalOf<Fields>;
  /** What has an id, in a word. */
  const nameOf = (existing: StoredRecord<Fields> | undefined) => {
    if (existing === undefined) return '-';
    return isTombstone(existing) ? 'deleted' : `record${existing.original ?? ''}`;
  };
  /** What had the id before, and what replaced it. */
  const change = async (one: Change<Fields>) => {
    const { before, after } = await subject.store.change(one);
    return [nameOf(before), nameOf(after)].join(' ');
  };
  const find = async (id: bigint) => nameOf(await subject.store.find(id));

  it.each<[string, Partial<Stored<object>> & { readonly at?: 0 | 1 | 2 }]>([
    ['all fields', { at: 0 }],
    ['other fields', { at: 1 }],
    ['only the required fields', { at: 2 }],
    ['what it was created as', { original: 'o' }],
    ['another time', { addedAt: 7 }],
    ['no time', { addedAt: null }],
    ['everything', { at: 2, addedAt: 9, original: 'p' }],
  ])('a record to one with %s, wherever it is read', async (_, { at = 0, ...others }) => {
    const before = { ...record(1n, at === 0 ? 1 : 0), addedAt: 5 };
    const updated: Stored<Fields> = { ...record(1n, at), addedAt: 5, ...others };
    const { addedAt, ...after } = updated;
    const expected = { ...after, ...(addedAt !== null && { addedAt }) };
    await createAll([before, { ...record(2n), addedAt: null }]);
    const outcome = await subject.store.change(update(1n, () => updated));
    expect(outcome.before).toEqual(before);
    expect(outcome.after).toMatchObject(after);
    expect(await subject.store.find(1n)).toEqual(expected);
    for (const order of ['id', addedAt === null ? 'untimed' : 'newest'] as const)
      expect((await subject.store.list({ order }, highLimits)).records).toContainEqual(expected);
    expect(await subject.store.find(2n)).toEqual(record(2n));
  });

  it('a record to what depends on the change before it', async () => {
    await createAll([record(1n, 0), record(2n, 1)]);
    const steps: readonly (readonly [Change<Fields>, outcome: string])[] = [
      [append(1n, 'a'), 'record recorda'],
      [append(2n, 'a'), 'record recorda'],
      [append(1n, 'b'), 'recorda recordab'],
      [append(3n, 'a'), '- -'],
      [remove(1n), 'recordab deleted'],
      [append(1n, 'c'), 'deleted -'],
      [remove(1n), 'deleted -'],
      [reuse(record(1n, 1)), 'deleted record'],
      [reuse(record(1n)), 'record -'],
      [append(1n, 'd'), 'record recordd'],
      [remove(3n, true), '- deleted'],
      [remove(3n, true), 'deleted -'],
      [reuse(record(3n)), 'deleted record'],
    ];
    for (const [at, [step, outcome]] of steps.entries())
      expect([at, await change(step)]).toEqual([at, outcome]);
    expect(await subject.store.find(1n)).toMatchObject({ ...samples[1], original: 'd' });
    expect(await subject.store.find(3n)).toMatchObject(samples[2]);
  });

  it('a record to a tombstone, whose id stays taken', async () => {
    await createAll([record(1n, 0), record(2n)]);
    expect(await change(remove(1n))).toBe('record deleted');
    expect(await subject.store.find(1n)).toEqual(tombstone(1n));
    expect(await subject.store.create(record(1n, 0))).toEqual(taken(tombstone(1n)));
    expect(await change(remove(1n))).toBe('deleted -');
    expect(await find(2n)).toBe('record');
  });

  it('a tombstone to a record with its own time, or none, and nothing of the record before', async () => {
    for (const [id, addedAt] of [
      [1n, null],
      [2n, 9],
    ] as const) {
      await createAll([{ ...record(id, 0), addedAt: 5 }]);
      await change(append(id, 'a'));
      await change(remove(id));
      expect(await change(reuse({ ...record(id), addedAt }))).toBe('deleted record');
      expect(await subject.store.find(id)).toEqual({ ...record(id), ...(addedAt !== null && { addedAt }) });
    }
  });

  it('a record as often as there are changes at the same time', async () => {
    await createAll([record(1n), record(2n)]);
    const letters = [...'abcdefghijkl'];
    const outcomes = await Promise.all(
      letters.flatMap((letter, at) => {
        const both = [1n, 2n].map((id) => subject.store.change(append(id, letter)));
        return at % 2 === 0 ? both : both.toReversed();
      }),
    );
    for (const id of [1n, 2n]) {
      // There is one order of them in which each has found what the one before it has made.
      const names = outcomes
        .filter(({ after }) => after?.id === id)
        .map(({ before, after }) => [nameOf(before), nameOf(after)] as const)
        .toSorted(([a], [b]) => a.length - b.length);
      const before = names.map(([name]) => name);
      expect(before).toEqual(['record', ...names.slice(0, -1).map(([, after]) => after)]);
      const last = await find(id);
      expect(last).toBe(names.at(-1)?.[1]);
      expect([...last.slice('record'.length)].toSorted()).toEqual(letters);
    }
  });

  it('a record back and forth at the same time, without an error', async () => {
    await createAll([record(1n)]);
    const toggle = update(1n, ({ original, ...others }) =>
      original === undefined
        ? ({ ...others, original: 'o' } as Stored<Fields>)
        : (others as unknown as Stored<Fields>),
    );
    const outcomes = await Promise.all(Array.from({ length: 16 }, () => change(toggle)));
    expect(outcomes.filter((outcome) => outcome === 'recordo record')).toHaveLength(8);
    expect(await find(1n)).toBe('record');
  });

  it.each([
    ['an update', append, ['record recorda recorda deleted', 'deleted - record deleted']],
    [
      'the reuse of its id',
      (id: bigint) => reuse(record(id, 1)),
      ['record - record deleted', 'deleted record record record'],
    ],
  ])('a record in one of the two orders when %s meets a removal', async (_, changeOf, orders) => {
    for (let id = 0n; id < 10n; id++) {
      await createAll([record(id)]);
      const [changed, removed] = await Promise.all([
        change(changeOf(id, 'a')),
        subject.store.change(remove(id)),
      ]);
      expect(orders).toContain(`${changed} ${nameOf(removed.before)} ${await find(id)}`);
    }
  });

  it.each([false, true])(
    'a record in one of the two orders when its create meets a removal (retire: %s)',
    async (retire) => {
      for (let id = 0n; id < 20n; id++) {
        const [{ stored: isStored }, removed] = await Promise.all([
          subject.store.create(record(id)),
          change(remove(id, retire)),
        ]);
        const orders = retire
          ? ['true record deleted deleted', 'false - deleted deleted']
          : ['true record deleted deleted', 'true - - record'];
        expect(orders).toContain(`${isStored} ${removed} ${await find(id)}`);
      }
    },
  );

  it('a record to a tombstone once out of many removals at the same time', async () => {
    const ids = Array.from({ length: 20 }, (_, id) => BigInt(id));
    await createAll(ids.map((id) => record(id)));
    const removals = Array.from({ length: 10 }, (_, call) =>
      ids.map((id) => change(remove(id, call % 2 === 0))),
    );
    const outcomes = await Promise.all(removals.flat());
    expect(outcomes.filter((outcome) => outcome === 'record deleted')).toHaveLength(ids.length);
    expect(outcomes.filter((outcome) => outcome === 'deleted -')).toHaveLength(9 * ids.length);
  });
}
