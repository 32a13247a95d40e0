import { createFakePlantStore, type FakePlantStore } from '@plant-store/client/testing';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Command, Report } from '../protocol.js';
import { ImportWorker } from './import-worker.js';

type ReportOf<Type extends Report['type']> = Extract<Report, { type: Type }>;

/** A session that sends to a fake plant store, and its reports. */
function openSession(store: FakePlantStore = createFakePlantStore(), sliceMs?: number) {
  const reports: Report[] = [];
  const { baseUrl, fetch } = store;
  const session = new ImportWorker((report) => reports.push(report), { fetch, retries: 0 }, sliceMs);
  const last = <Type extends Report['type']>(type: Type) =>
    reports.findLast((report): report is ReportOf<Type> => report.type === type);
  const untilState = (state: string) =>
    vi.waitUntil(() => last('progress')?.progress.state === state && last('progress')?.progress, {
      timeout: 30_000,
    });
  const add = async (text: string, token = store.token) => {
    await session.handle({ type: 'read', source: { file: new File([text], 'plants.csv') } });
    await session.handle({ type: 'start', baseUrl, token });
  };
  return {
    session,
    store,
    reports,
    last,
    untilState,
    add,
    send: (command: Command) => session.handle(command),
  };
}

const csv = `id,name,tag\n${Array.from({ length: 30 }, (_, id) => `${id},Plant ${id},=tag`).join('\n')}\n`;
const faulty = `${csv}x,Rose,\n5,Taken,\n`;

it('stores the plants of a file, and nothing twice when the file is added again', async () => {
  const first = openSession();
  await first.add(faulty);
  expect(first.last('checked')?.preview).toMatchObject({ plants: 30, faulty: 2, format: 'CSV' });
  expect(await first.untilState('ended')).toMatchObject({ stored: 30, replayed: 0, rejected: 0, open: 0 });
  expect(first.store.plants.size).toBe(30);
  const second = openSession(first.store);
  await second.add(faulty);
  expect(await second.untilState('ended')).toMatchObject({ stored: 0, replayed: 30, rejected: 0, open: 0 });
});

it('keeps the plants open that a rejected token left, and stores them with another', async () => {
  const { store, add, send, untilState } = openSession();
  const { token, baseUrl } = store;
  await add(csv, 'revoked');
  expect(await untilState('paused')).toMatchObject({ open: 30, stop: { cause: 'token' } });
  await send({ type: 'resume', baseUrl, token });
  expect(await untilState('ended')).toMatchObject({ stored: 30, rejected: 0 });
});

it('keeps going on with another token when requests with the earlier one are rejected late', async () => {
  const store = createFakePlantStore();
  const release = Promise.withResolvers<void>();
  let withEarlier = 0;
  const { add, send, reports, last, untilState } = openSession({
    ...store,
    async fetch(url, init) {
      const isEarlier = new Headers(init?.headers).get('authorization') === 'Bearer revoked';
      if (isEarlier && ++withEarlier > 1) await release.promise;
      return store.fetch(url, init);
    },
  });
  const { token, baseUrl } = store;
  await add(csv, 'revoked');
  const { inFlight } = await untilState('paused');
  expect(inFlight).toBeGreaterThan(1);
  reports.length = 0;
  await send({ type: 'resume', baseUrl, token });
  await vi.waitUntil(() => last('progress')?.progress.open === inFlight, { timeout: 30_000 });
  release.resolve();
  expect(await untilState('ended')).toMatchObject({ stored: 30, rejected: 0 });
  const stops = reports.flatMap((report) => (report.type === 'progress' ? [report.progress.stop] : []));
  expect(stops.filter((stop) => stop !== undefined)).toEqual([]);
});

it('reports again how a run ended that is resumed at that moment', async () => {
  const { store, add, reports, send, untilState } = openSession();
  await add(csv);
  await untilState('ended');
  reports.length = 0;
  const { token, baseUrl } = store;
  await send({ type: 'resume', baseUrl, token });
  expect(await untilState('ended')).toMatchObject({ starts: 2, stored: 30 });
});

it('waits and goes on by itself after an overload', async () => {
  const { store, add, reports, untilState } = openSession();
  const overload = {
    kind: 'status',
    status: 503,
    headers: { 'Retry-After': '1', 'Content-Type': 'application/json' },
  } as const;
  store.fail(...Array.from({ length: 12 }, () => overload));
  await add(csv);
  expect(await untilState('ended')).toMatchObject({ stored: 30, rejected: 0, open: 0 });
  const states = reports.flatMap((report) => (report.type === 'progress' ? [report.progress.state] : []));
  expect(states).toContain('waiting');
});

it('needs a token again once it is forgotten', async () => {
  const { store, add, send, untilState } = openSession();
  store.fail(...Array.from({ length: 12 }, () => ({ kind: 'delay', ms: 50 }) as const));
  await add(csv);
  await send({ type: 'forget-token' });
  expect(await untilState('paused')).toMatchObject({ stop: { cause: 'token' } });
  const { token, baseUrl } = store;
  await send({ type: 'resume', baseUrl, token });
  expect(await untilState('ended')).toMatchObject({ stored: 30 });
});

it('reports how many plants a cancelled run leaves', async () => {
  const { store, add, send, untilState } = openSession();
  store.fail(...Array.from({ length: 12 }, () => ({ kind: 'delay', ms: 50 }) as const));
  await add(csv);
  await send({ type: 'cancel' });
  const progress = await untilState('ended');
  expect(progress).toMatchObject({ rejected: 0, open: 30 - store.plants.size });
  // No more than were in flight.
  expect(store.plants.size).toBeLessThanOrEqual(12);
});

it('reports the rate and the time left while the service does not answer', async () => {
  const { store, send, reports } = openSession();
  store.fail(...Array.from({ length: 12 }, () => ({ kind: 'delay', ms: 600_000 }) as const));
  await send({ type: 'read', source: { text: csv } });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { baseUrl, token } = store;
  await send({ type: 'start', baseUrl, token });
  await vi.advanceTimersByTimeAsync(3100);
  const states = reports.flatMap((report) => (report.type === 'progress' ? [report.progress.state] : []));
  expect(states).toEqual(['running', 'running', 'running', 'running']);
});

it('ends a download when other columns are chosen meanwhile', async () => {
  const { send, reports, last } = openSession(createFakePlantStore(), 0);
  await send({ type: 'read', source: { text: `${csv}x,Rose,\ny,Fern,\n` } });
  const columns = { id: 0, name: 1, tag: undefined };
  await Promise.all([send({ type: 'download' }), send({ type: 'choose', hasHeader: true, columns })]);
  expect(last('download')).toBeUndefined();
  expect(reports.at(-1)).toMatchObject({ type: 'checked', preview: { faulty: 2 } });
  await send({ type: 'download' });
  expect(last('download')?.fileName).toBe('plants-rejected.csv');
});

it('lists the lines in pages, and those with a problem alone', async () => {
  const { add, send, last } = openSession();
  await add(`${csv.replaceAll('\n', '\n,,\n')}${'x,Rose\n'.repeat(60)}`);
  await send({ type: 'list', filter: 'faulty', offset: 50 });
  expect(last('list')?.list).toMatchObject({ filter: 'faulty', offset: 50, total: 60 });
  expect(last('list')?.list.rows).toHaveLength(10);
  expect(last('list')?.list.rows[0]).toMatchObject({ id: 'x', name: 'Rose', problem: expect.any(String) });
  await send({ type: 'list', filter: 'all', offset: 0 });
  expect(last('list')?.list.rows.slice(0, 2)).toMatchObject([
    { line: 3, id: '0' },
    { line: 5, id: '1' },
  ]);
});

it('checks again when other columns are chosen', async () => {
  const { send, last } = openSession();
  await send({ type: 'read', source: { text: 'a,b\nRose,1\nFern,2\nIvy,3' } });
  expect(last('checked')?.preview.columns).toMatchObject({ hasHeader: true, choice: { id: 1, name: 0 } });
  await send({ type: 'choose', hasHeader: false, columns: { id: 1, name: 0, tag: undefined } });
  expect(last('checked')?.preview).toMatchObject({ plants: 3, faulty: 1 });
});

it('explains what cannot be read', async () => {
  const { send, last } = openSession();
  await send({ type: 'read', source: { text: '' } });
  expect(last('unreadable')?.message).toContain('no lines');
});
