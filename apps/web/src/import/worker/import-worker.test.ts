import { errors } from '@plant-store/client';
import { createFakePlantStore, type Fault } from '@plant-store/client/testing';
import { expect, it, onTestFinished, vi } from 'vitest';
import { mapFields, noTexts } from '../../shared/fields.js';
import type { Command, Report, Source } from '../protocol.js';
import { ImportWorker } from './import-worker.js';

type ReportOf<Type extends Report['type']> = Extract<Report, { type: Type }>;

/** A worker that sends to a fake plant store, and its reports. */
function open({ retries = 0, sliceMs }: { retries?: number; sliceMs?: number } = {}) {
  const reports: Report[] = [];
  const store = createFakePlantStore();
  const fetch = vi.fn(store.fetch);
  const worker = new ImportWorker((report) => reports.push(report), { fetch, retries }, sliceMs);
  const send = (command: Command) => worker.handle(command);
  const last = <Type extends Report['type']>(type: Type) =>
    reports.findLast((report): report is ReportOf<Type> => report.type === type);
  const untilState = (state: string) =>
    vi.waitUntil(() => last('progress')?.progress.state === state && last('progress'), { timeout: 30_000 });
  /** Reads a source and checks its lines with the columns that were recognized. */
  const read = async (source: Source | string) => {
    const file = typeof source === 'string' ? new File([source], 'plants.csv') : undefined;
    await send({ type: 'read', source: file ? { file } : (source as Source) });
    const columns = last('read')?.preview.columns;
    if (columns) await send({ type: 'check', header: columns.header, columns: columns.choice });
    return last('checked');
  };
  const run = () => send({ type: 'run', baseUrl: store.baseUrl, token: store.token, task: 'add' });
  return { store, fetch, reports, last, untilState, read, run, send };
}

const csv = `id,name,tag\n${Array.from({ length: 30 }, (_, id) => `${id},Plant ${id},=tag`).join('\n')}\n`;
/** More than one batch. */
const long = `id,name\n${Array.from({ length: 2500 }, (_, id) => `${id},Plant ${id}`).join('\n')}\n`;

it('stops when it is cancelled, and then sends only what has no result', async () => {
  const { store, fetch, read, run, send, untilState } = open();
  // The second batch is stored, and its reply lost with the cancel.
  store.fail({ kind: 'delay', ms: 0 }, { kind: 'delay', ms: 60_000 });
  await read(long);
  const running = run();
  await vi.waitUntil(() => store.plants.size >= 1000, { timeout: 30_000 });
  await send({ type: 'cancel' });
  await running;
  const stopped = await untilState('stopped');
  expect(stopped.progress.stop).toBeUndefined();
  expect(stopped.counts.stored).toBeGreaterThanOrEqual(1000);
  expect(stopped.counts.ready).toBe(2500 - stopped.counts.stored);
  fetch.mockClear();
  await run();
  const { counts, progress } = await untilState('ended');
  expect(progress).toMatchObject({ done: 2500, total: 2500 });
  expect(counts.stored + counts.replayed).toBe(2500);
  expect(store.plants.size).toBe(2500);
  expect(fetch).toHaveBeenCalledTimes(Math.ceil(stopped.counts.ready / 1000));
});

function reply(status: number, error: number, headers: Record<string, string> = {}): Fault {
  const body = JSON.stringify({ error, message: 'The reason.' });
  return { kind: 'status', status, headers: { 'Content-Type': 'application/json', ...headers }, body };
}

it.each<[string, Fault, string]>([
  ['a missing scope', reply(403, errors.insufficient_scope.error), 'The reason.'],
  ['a damaged database', reply(503, errors.database_damaged.error), 'is damaged'],
  ['an error of the service', reply(500, errors.internal_error.error), 'an error of its own'],
  ['a request that it cannot read', reply(400, errors.bad_request.error), 'could not read'],
  ['an error of a later version', reply(400, 40099), 'The reason.'],
])('loses nothing by %s, and never takes it for rejected plants', async (_, fault, message) => {
  const { store, read, run, untilState } = open();
  store.fail(fault);
  await read(csv);
  await run();
  const { progress, counts } = await untilState('stopped');
  expect(progress.stop).toEqual({ cause: 'other', message: expect.stringMatching(message) });
  expect(counts).toMatchObject({ ready: 30, problems: 0 });
  await run();
  const ended = await untilState('ended');
  expect(ended.counts.stored + ended.counts.replayed).toBe(30);
});

it.each<[string, Fault, string]>([
  ['an overload', reply(503, errors.overloaded.error), 'more to do than it can take'],
  ['a broken connection', { kind: 'drop', stored: true }, 'offline|cannot be reached'],
  ['a proxy', { kind: 'status', status: 502, body: '<h1>Bad Gateway</h1>' }, 'such as a proxy'],
])('goes on by itself after %s, unless it is cancelled', async (_, fault, message) => {
  const { store, read, run, send, last, untilState } = open();
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  store.fail(fault, fault, fault);
  await read(csv);
  void run();
  await vi.advanceTimersByTimeAsync(4_000);
  expect(last('progress')?.progress).toMatchObject({
    state: 'running',
    retrying: expect.stringMatching(`(${message}).* Trying again.$`),
  });
  await send({ type: 'cancel' });
  expect((await untilState('stopped')).progress.stop).toBeUndefined();
  void run();
  await vi.advanceTimersByTimeAsync(11_000);
  const { counts } = await untilState('ended');
  expect(counts.stored + counts.replayed).toBe(30);
});

it('reports while it runs why it tries again', async () => {
  const { store, reports, read, run, untilState } = open({ retries: 1 });
  store.fail(reply(503, errors.overloaded.error), { kind: 'delay', ms: 300 });
  await read(csv);
  await run();
  expect((await untilState('ended')).progress.retrying).toBeUndefined();
  const retrying = reports.flatMap((each) => (each.type === 'progress' && each.progress.retrying) || []);
  expect(retrying[0]).toBe('The service cannot store plants at the moment. Trying again.');
});

const limited = reply(429, errors.rate_limited.error, { 'Retry-After': '300' });
const goingOn = `Going on at ${new Date(300_000).toLocaleTimeString()}.`;

it('waits while the rate limit permits no more, shows until when, and goes on', async () => {
  const { store, read, run, last, untilState } = open();
  // The first batch is stored after the second one has met the limit.
  store.fail({ kind: 'delay', ms: 1_000 }, limited);
  await read(long);
  vi.useFakeTimers({ now: 0 });
  onTestFinished(() => void vi.useRealTimers());
  void run();
  await vi.advanceTimersByTimeAsync(299_000);
  expect(last('progress')).toMatchObject({
    progress: { state: 'running', retrying: expect.stringContaining(goingOn) },
    counts: { stored: 1_000, ready: 1_500 },
  });
  await vi.advanceTimersByTimeAsync(2_000);
  const ended = await untilState('ended');
  expect([ended.progress.retrying, ended.counts.stored]).toEqual([undefined, 2_500]);
});

it('stops at once when it is cancelled while it waits for the rate limit', async () => {
  const { store, fetch, read, run, send, untilState } = open();
  store.fail(limited);
  await read(csv);
  const running = run();
  await vi.waitUntil(() => fetch.mock.calls.length > 0, { timeout: 30_000 });
  await send({ type: 'cancel' });
  await running;
  expect(await untilState('stopped')).toMatchObject({ progress: { stop: undefined }, counts: { ready: 30 } });
  expect(fetch).toHaveBeenCalledTimes(1);
});

it('checks an edited line by the contract, and against the other lines', async () => {
  const { read, send, last } = open();
  await read(`${csv}x,Rose,\n5,Taken,\n`);
  const edit = async (record: number, id: string, name = 'Rose') => {
    await send({ type: 'edit', record, texts: { ...noTexts, id, name } });
    return last('edited')?.problem;
  };
  expect(last('checked')?.list).toMatchObject({ filter: 'problems', rows: [{ record: 31 }, { record: 32 }] });
  expect(await edit(31, 'y')).toContain('an id has digits only');
  expect(await edit(31, '40', '')).toBe('name is required');
  expect(await edit(31, '7')).toContain('line 9 has another plant under the id 7');
  expect(await edit(31, '40')).toBeUndefined();
  expect(await edit(32, '40', 'Fern')).toContain('line 32 has another plant under the id 40');
  expect(await edit(32, '40')).toBeUndefined();
  expect(last('list')?.counts).toMatchObject({ lines: 32, ready: 32, problems: 0, duplicates: 1 });
  // What has no problem stays as it is.
  await send({ type: 'edit', record: 1, texts: { ...noTexts, id: 'z' } });
  expect(last('list')?.counts.problems).toBe(0);
});

it('gives the texts of lines to edit, also of those that cannot be read', async () => {
  const { read, last } = open();
  await read('id,name,tag\n1,"Rose,red\nx,"a ""b""",c\n');
  const [broken, readable] = last('checked')?.list.rows ?? [];
  expect(broken).toMatchObject({ line: 2, editable: { id: '1', name: 'Rose', tag: 'red' } });
  expect(readable).toMatchObject({ line: 3, editable: { id: 'x', name: 'a "b"', tag: 'c' } });
  await read({ text: '{"id":"7","name":"Fern"}\n{"id":8\n{"id":8,"idText":"9","name":"Ivy"}' });
  const rows = [
    ...[{ editable: { id: '7', name: 'Fern', tag: '' } }, { name: '{"id":8' }],
    { editable: { id: '9', name: 'Ivy', tag: '' } },
  ];
  expect(last('checked')?.list.rows).toMatchObject(rows);
});

it.each([
  ['CSV', 'resource,id,name\ngarden,1,Kew\nplant,2,Fern\n,3,Ivy\n'],
  [
    'NDJSON',
    {
      text: '{"resource":"garden","id":1,"name":"Kew"}\n{"resource":"plant","id":2,"name":"Fern"}\n{"id":3,"name":"Ivy"}',
    },
  ],
])('takes no line of another resource for a plant: %s', async (_, source) => {
  const { read, last } = open();
  await read(source);
  expect(last('checked')).toMatchObject({
    counts: { ready: 2, problems: 1 },
    list: { rows: [{ problem: 'the line is not a plant: its resource is garden' }] },
  });
});

it('ends a download when other columns are chosen meanwhile', async () => {
  const { read, send, reports, last } = open({ sliceMs: 0 });
  await read(`${csv}x,Rose,\ny,Fern,\n`);
  const columns = { ...mapFields(() => undefined), id: 0, name: 1 };
  await Promise.all([send({ type: 'download' }), send({ type: 'check', header: 0, columns })]);
  expect(last('download')).toBeUndefined();
  expect(reports.at(-1)).toMatchObject({ type: 'checked', counts: { problems: 2 } });
  await send({ type: 'download' });
  expect(last('download')?.fileName).toBe('plants-rejected.csv');
});

it('lists the lines in pages, all of them, and those that are ready or have a problem alone', async () => {
  const { read, send, last } = open();
  await read(`${csv.replaceAll('\n', '\n,,\n')}${'x,Rose\n'.repeat(60)}`);
  await send({ type: 'list', filter: 'problems', offset: 50 });
  expect(last('list')?.list).toMatchObject({ filter: 'problems', offset: 50, total: 60 });
  expect(last('list')?.list.rows).toHaveLength(10);
  expect(last('list')?.list.rows[0]).toMatchObject({ id: 'x', name: 'Rose', state: 'problem' });
  await send({ type: 'list', filter: 'ready', offset: 0 });
  expect(last('list')?.list).toMatchObject({ total: 30, rows: { length: 30 } });
  await send({ type: 'list', filter: 'all', offset: 0 });
  const rows = [{ line: 3, id: '0', state: 'ready' }, { line: 5 }, ...Array(48).fill({})];
  expect(last('list')?.list).toMatchObject({ total: 90, rows });
});

it('shows what is ready once the last problem is solved, and all lines once that is sent', async () => {
  const { read, run, send, last, untilState } = open();
  await read('id,name\n1,Oak\nx,Ash\n');
  await send({ type: 'edit', record: 2, texts: { ...noTexts, id: '2', name: 'Ash' } });
  expect(last('list')?.list).toMatchObject({ filter: 'ready', total: 2, rows: { length: 2 } });
  await run();
  await untilState('ended');
  await send({ type: 'list', filter: 'problems', offset: 0 });
  expect(last('list')?.list).toMatchObject({ filter: 'all', total: 2, rows: { length: 2 } });
});

it('shows the page before when the last line of a page is edited', async () => {
  const { read, send, last } = open();
  await read(`id,name\n1,Oak\n2,Ash\n${'x,Rose\n'.repeat(51)}`);
  await send({ type: 'list', filter: 'problems', offset: 50 });
  const [row] = last('list')?.list.rows ?? [];
  await send({ type: 'edit', record: row?.record ?? 0, texts: { ...noTexts, id: '9', name: 'Rose' } });
  expect(last('list')?.list).toMatchObject({ offset: 0, total: 50, rows: { length: 50 } });
});

it('stops comparing lines with what is stored when the token is forgotten, and says so', async () => {
  const { store, fetch, read, send, last } = open();
  await read(csv);
  store.fail({ kind: 'delay', ms: 60_000 });
  const { baseUrl, token } = store;
  const comparing = send({ type: 'compare', baseUrl, token });
  await vi.waitUntil(() => fetch.mock.calls.length > 0, { timeout: 30_000 });
  await send({ type: 'forget-token' });
  await comparing;
  expect(last('compared')).toMatchObject({ failure: { cause: 'token' }, counts: { ready: 30, changed: 0 } });
  await send({ type: 'compare', baseUrl, token });
  expect(last('compared')).toMatchObject({ failure: undefined, counts: { ready: 30 } });
});

it('reports nothing of a comparison once other columns are chosen', async () => {
  const { store, fetch, read, send, reports } = open();
  await read(csv);
  store.fail({ kind: 'delay', ms: 60_000 });
  const comparing = send({ type: 'compare', baseUrl: store.baseUrl, token: store.token });
  await vi.waitUntil(() => fetch.mock.calls.length > 0, { timeout: 30_000 });
  await read(csv);
  await comparing;
  expect(reports.filter(({ type }) => type === 'compared')).toEqual([]);
});
