import { INT64_MAX, INT64_MIN } from '@plant-store/contract';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Subject, stored, taken } from './use-store.js';

export function testCreate<Fields extends object>(subject: Subject<Fields>): void {
  const { samples, record, createAll, anyFields } = subject;
  const now = expect.any(Number);
  const ids = [INT64_MAX, INT64_MIN, 9007199254740993n, 0n, -1n];

  it('a record under any id, and finds it again, with its time', async () => {
    for (const [at, id] of ids.entries()) {
      const one = { ...samples[at % 3], id } as (typeof samples)[0] & { id: bigint };
      expect(await subject.store.find(id)).toBeUndefined();
      expect(await subject.store.create(one)).toEqual(stored(now));
      expect(await subject.store.find(id)).toEqual({ ...one, addedAt: now });
      expect(await subject.store.create(one)).toEqual(taken({ ...one, addedAt: now }));
    }
  });

  it('nothing under an id that is taken, whatever the other record is', async () => {
    await subject.store.create({ ...record(1n, 0), addedAt: 1 });
    for (const at of [0, 1, 2] as const) {
      const outcome = await subject.store.create({ ...record(1n, at), addedAt: 2 });
      expect(outcome).toEqual(taken({ ...record(1n, 0), addedAt: 1 }));
    }
    expect(await subject.store.find(1n)).toEqual({ ...record(1n, 0), addedAt: 1 });
  });

  it('a record with its own time, with that of now, or without one', async () => {
    const begun = Date.now();
    expect(await subject.store.create({ ...record(1n), addedAt: 7 })).toEqual(stored(7));
    expect(await subject.store.create({ ...record(2n), addedAt: null })).toEqual(stored(null));
    const outcome = await subject.store.create(record(3n));
    expect(await subject.store.find(1n)).toEqual({ ...record(1n), addedAt: 7 });
    expect(await subject.store.find(2n)).toEqual(record(2n));
    // The clock of a database may differ.
    expect(outcome).toEqual(stored(expect.closeTo(begun, -5)));
  });

  it('one of many records of one id, which the others find', async () => {
    const records = Array.from({ length: 21 }, (_, at) => record(1n, (at % 3) as 0 | 1 | 2));
    const outcomes = await createAll(records);
    const first = outcomes.findIndex((outcome) => outcome.stored);
    const existing = { ...records[first], addedAt: now };
    expect(outcomes).toEqual(records.map((_, at) => (at === first ? stored(now) : taken(existing))));
    expect(await subject.store.find(1n)).toEqual(existing);
  });

  it('each of many records at the same time', async () => {
    const records = Array.from({ length: 300 }, (_, at) => record(BigInt(at), (at % 3) as 0 | 1 | 2));
    expect(await createAll(records)).toEqual(records.map(() => stored(now)));
    expect(await createAll(records)).toEqual(records.map((one) => taken({ ...one, addedAt: now })));
  });

  it('any fields exactly as they are', async () => {
    let id = 0n;
    await fc.assert(
      fc.asyncProperty(fc.array(anyFields, { minLength: 10 }), async (all) => {
        const records = all.map((fields) => ({ ...fields, id: id++ }));
        await createAll(records);
        const found = await Promise.all(records.map((one) => subject.store.find(one.id)));
        expect(found).toEqual(records.map((one) => ({ ...one, addedAt: now })));
      }),
      { numRuns: 20 },
    );
  });
}
