import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errors } from '@plant-store/client';
import { createFakePlantStore, type Fault } from '@plant-store/client/testing';
import { expect, it, onTestFinished, vi } from 'vitest';
import { noTexts } from '../../shared/fields.js';
import type { Group, Progress, Report, Source, View } from '../protocol.js';
import { ImportWorker } from './import-worker.js';

/** Opens a worker that sends to a fake plant store, and collects its reports and the resulting view. */
function open({ retries = 0 }: { retries?: number } = {}) {
  const reports: Report[] = [];
  const store = createFakePlantStore();
  const fetch = vi.fn(store.fetch);
  const worker = new ImportWorker((report) => reports.push(report), { fetch, retries });
  const views = () => reports.flatMap((report) => (report.type === 'view' ? [report.view] : []));
  const view = () => Object.assign({}, ...views()) as View;
  const untilState = (state: string) =>
    vi.waitUntil(
      () => view().progress?.state === state && { ...view(), progress: view().progress as Progress },
      {
        timeout: 30_000,
      },
    );
  const target = { baseUrl: store.baseUrl, token: store.token };
  /** Reads a source, checks its lines with the recognized columns, and compares them with the stored plants. */
  const read = async (source: Source | string) => {
    await worker.setTarget(target);
    await worker.read(typeof source === 'string' ? { file: new File([source], 'plants.csv') } : source, {});
    const { columns } = view().preview ?? {};
    if (columns && view().step === 'columns') await worker.check(columns.header, columns.choice);
    fetch.mockClear();
  };
  const run = () => worker.run('add');
  const rowsOf = (group: Group) => view().list.find((each) => each.group === group)?.rows ?? [];
  return { store, fetch, reports, views, view, untilState, read, run, target, worker, rowsOf };
}

const csv = `id,name,tag\n${Array.from({ length: 30 }, (_, id) => `${id},Plant ${id},=tag`).join('\n')}\n`;
/** More than one batch. */
const long = `id,name\n${Array.from({ length: 2500 }, (_, id) => `${id},Plant ${id}`).join('\n')}\n`;

const latin1 = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
const fixture = (name: string) =>
  new File([readFileSync(join(import.meta.dirname, '../../../test/import-files', name))], name);

it.each<[string, File | string, boolean]>([
  ['all titles are known', 'id,name,tag\n1,Rose,bed\n', false],
  ['others are not imported', 'Id;Preis;Name;\n1;5;Rose;\n', false],
  ['the id may be a number', 'Nr.;Name\n1;Rose\n', true],
  ['the tag may be something else', 'id,name,Type\n1,Rose,Shrub\n', true],
  ['the name is recognized by its content', 'id,Gewächs\n1,Rose\n', true],
  ['the id is recognized by its content', 'Foo,name\n1,Rose\n', true],
  ['there is no id', 'name\nRose\n', true],
  ['there are no titles', '1,Rose\n', true],
  ['the titles are not first', 'My list\nid,name\n1,Rose\n', true],
  ['two titles may be the name', 'id,name,Botanical name\n1,Rose,Rosa\n', true],
  ['the encoding is guessed', new File([latin1('id,name\n1,Größte\n')], 'plants.csv'), true],
  ['there are several sheets', fixture('openpyxl-hidden-sheets.xlsx'), true],
  ['there is one sheet', fixture('xlsxwriter-1904.xlsx'), false],
  ['the file has something hidden', fixture('openpyxl-hidden-rows-and-columns.xlsx'), true],
])('asks for the columns only if they are in doubt: %s', async (_, content, asks) => {
  const { worker, views } = open();
  await worker.read(typeof content === 'string' ? { text: content } : { file: content }, {});
  expect(views().flatMap(({ step }) => step ?? [])).toEqual(
    asks ? ['columns'] : ['reading', 'reading', 'review'],
  );
});

function reply(status: number, error: number, headers: Record<string, string> = {}): Fault {
  const body = JSON.stringify({ error, message: 'The reason.' });
  return { kind: 'status', status, headers: { 'Content-Type': 'application/json', ...headers }, body };
}

it.each<[string, Fault, string]>([
  ['a missing scope', reply(403, errors.insufficient_scope.error), 'The reason.'],
  ['a damaged database', reply(503, errors.database_damaged.error), 'is damaged'],
  ['an error of the service', reply(500, errors.internal_error.error), 'Something went wrong on the server'],
  ['a request that it cannot read', reply(400, errors.bad_request.error), 'could not read'],
  ['an error of a later version', reply(400, 40099), 'The reason.'],
])('loses nothing after %s, and never treats it as a rejection of plants', async (_, fault, message) => {
  const { store, read, run, untilState } = open();
  await read(csv);
  store.fail(fault);
  await run();
  const { progress, counts } = await untilState('stopped');
  expect(progress.stopReason).toEqual({ cause: 'other', message: expect.stringMatching(message) });
  expect(counts).toMatchObject({ ready: 30, problems: 0 });
  await run();
  const ended = await untilState('ended');
  expect(ended.counts.stored + ended.counts.replayed).toBe(30);
});

it.each<[string, Fault, string]>([
  ['an overload', reply(503, errors.overloaded.error), 'The server is busy'],
  ['a proxy', { kind: 'status', status: 502, body: '<h1>Bad Gateway</h1>' }, 'A proxy or another program'],
])('resumes automatically after %s, unless it is cancelled', async (_, fault, message) => {
  const { store, read, run, worker, view, untilState } = open();
  await read(csv);
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  store.fail(fault, fault, fault);
  void run();
  await vi.advanceTimersByTimeAsync(4_000);
  expect(view().progress).toMatchObject({
    state: 'running',
    retrying: expect.stringMatching(`(${message}).* Trying again.$`),
  });
  worker.cancel();
  expect((await untilState('stopped')).progress.stopReason).toBeUndefined();
  void run();
  await vi.advanceTimersByTimeAsync(11_000);
  const { counts } = await untilState('ended');
  expect(counts.stored + counts.replayed).toBe(30);
});

it('reports why it retries while it runs', async () => {
  const { store, views, read, run, untilState } = open({ retries: 1 });
  await read(csv);
  store.fail(reply(503, errors.overloaded.error), { kind: 'delay', ms: 300 });
  await run();
  expect((await untilState('ended')).progress.retrying).toBeUndefined();
  const retrying = views().flatMap(({ progress }) => progress?.retrying ?? []);
  expect(retrying[0]).toBe('The server cannot save plants right now. Trying again.');
});

const limited = reply(429, errors.rate_limited.error, { 'Retry-After': '300' });
const goingOn = `The import resumes at ${new Date(300_000).toLocaleTimeString()}.`;

it('waits for the rate limit, shows until when, and resumes', async () => {
  const { store, read, run, view, untilState } = open();
  await read(long);
  // The first batch is stored after the second one has hit the limit.
  store.fail({ kind: 'delay', ms: 1_000 }, limited);
  vi.useFakeTimers({ now: 0 });
  onTestFinished(() => void vi.useRealTimers());
  void run();
  await vi.advanceTimersByTimeAsync(299_000);
  expect(view()).toMatchObject({
    progress: { state: 'running', retrying: expect.stringContaining(goingOn) },
    counts: { stored: 1_000, ready: 1_500 },
  });
  await vi.advanceTimersByTimeAsync(2_000);
  const ended = await untilState('ended');
  expect([ended.progress.retrying, ended.counts.stored]).toEqual([undefined, 2_500]);
});

it('stops at once when cancelled while it waits for the rate limit', async () => {
  const { store, fetch, read, run, worker, untilState } = open();
  await read(csv);
  store.fail(limited);
  const running = run();
  await vi.waitUntil(() => fetch.mock.calls.length > 0, { timeout: 30_000 });
  worker.cancel();
  await running;
  expect(await untilState('stopped')).toMatchObject({
    progress: { stopReason: undefined },
    counts: { ready: 30 },
  });
  expect(fetch).toHaveBeenCalledTimes(1);
});

it('checks an edited line against the contract and the other lines', async () => {
  const { read, worker, view, rowsOf } = open();
  await read(`${csv}x,Rose,\n5,Taken,\n`);
  const edit = async (line: number, id: string, name = 'Rose') => {
    await worker.change(['edit', line, { ...noTexts, id, name }]);
    return view().edited?.problem;
  };
  expect(rowsOf('problems')).toMatchObject([
    { index: 30 },
    { index: 31, problem: 'Line 7 has the same ID.' },
  ]);
  expect(await edit(30, 'y')).toBe('The ID must be a whole number.');
  expect(await edit(30, '40', '')).toBe('The name is missing.');
  expect(await edit(30, '7')).toBe('Line 9 has the same ID.');
  expect(await edit(30, '40')).toBeUndefined();
  expect(await edit(31, '40', 'Fern')).toBe('Line 32 has the same ID.');
  expect(await edit(31, '40')).toBeUndefined();
  expect(view().counts).toMatchObject({ all: 32, ready: 31, problems: 0, repeated: 1 });
  // A line without a problem cannot be edited.
  await worker.change(['edit', 1, { ...noTexts, id: 'z' }]);
  expect(view().counts.problems).toBe(0);
});

it('offers a fix only for texts from the file, which it changes', async () => {
  const { read, worker, view } = open();
  await read('id,name\n"1,000",Rose\n"2,000",Fern\n');
  expect(view().fixable).toMatchObject({ separators: 2 });
  await worker.change(['edit', 0, { ...noTexts, id: '3,000', name: 'Rose' }]);
  expect(view().fixable).toMatchObject({ separators: 1 });
  await worker.change(['toggleFix', 'separators']);
  expect(view()).toMatchObject({ fixable: { separators: 0 }, counts: { ready: 1, problems: 1 } });
});

it('frees an id for another line of the file once the line that has it is left out', async () => {
  const { read, worker, view } = open();
  await read('id,name\n1,Rose\n1,Fern\n');
  expect(view().counts).toMatchObject({ ready: 1, problems: 1 });
  await worker.change(['leaveOut', 0]);
  expect(view().counts).toMatchObject({ ready: 1, problems: 0 });
  await worker.change(['include', [0]]);
  expect(view().counts).toMatchObject({ ready: 1, problems: 1, skipped: 0 });
});

it('returns the texts of lines to edit, also of unreadable ones', async () => {
  const { read, rowsOf } = open();
  await read('id,name,tag\n1,"Rose,red\nx,"a ""b""",c\n');
  expect(rowsOf('problems')).toMatchObject([
    { line: 2, editing: { texts: { id: '1', name: 'Rose', tag: 'red' } } },
    {
      line: 3,
      editing: {
        texts: { id: 'x', name: 'a "b"', tag: 'c' },
        wrong: ['id'],
        freeId: expect.stringMatching(/^\d+$/),
      },
    },
  ]);
  await read({ text: '{"id":"7","name":"Fern"}\n{"id":8\n{"id":8,"idText":"9","name":"Ivy"}' });
  expect(rowsOf('problems')).toMatchObject([
    { editing: { texts: { id: '7', name: 'Fern', tag: '' } } },
    { name: '{"id":8' },
    { editing: { texts: { id: '9', name: 'Ivy', tag: '' } } },
  ]);
});

it.each([
  ['CSV', 'resource,id,name\ngarden,1,Kew\nplant,2,Fern\n,3,Ivy\n'],
  [
    'NDJSON',
    {
      text: '{"resource":"garden","id":1,"name":"Kew"}\n{"resource":"plant","id":2,"name":"Fern"}\n{"id":3,"name":"Ivy"}',
    },
  ],
])('does not read a line of another resource as a plant: %s', async (_, source) => {
  const { read, view, rowsOf } = open();
  await read(source);
  expect(view().counts).toMatchObject({ ready: 2, problems: 1 });
  expect(rowsOf('problems')[0]?.problem).toBe('This line is a garden, not a plant.');
});

it('shows the first lines of each group, more of them, and only one group', async () => {
  const { read, worker, view, rowsOf } = open();
  await read(`${csv.replaceAll('\n', '\n,,\n')}${'x,Rose\n'.repeat(80)}`);
  expect(view().list).toMatchObject([
    { group: 'problems', total: 80, rows: { length: 20 } },
    { group: 'new', total: 30, rows: { length: 5 } },
  ]);
  expect(rowsOf('new')[0]).toMatchObject({ line: 3, id: '0', state: 'ready' });
  await worker.change(['showMore', 'problems']);
  expect(rowsOf('problems')).toHaveLength(70);
  await worker.change(['show', 'problems']);
  expect(view().list).toMatchObject([{ group: 'problems', total: 80, rows: { length: 50 } }]);
});

it('shows all lines once the last problem is solved', async () => {
  const { read, worker, view } = open();
  await read('id,name\n1,Oak\nx,Ash\n');
  await worker.change(['show', 'problems']);
  await worker.change(['edit', 1, { ...noTexts, id: '2', name: 'Ash' }]);
  expect(view()).toMatchObject({ filter: 'all', list: [{ group: 'new', total: 2, rows: { length: 2 } }] });
});

it('stops comparing lines with stored plants when the token is forgotten, and says so', async () => {
  const { store, fetch, read, worker, view, target } = open();
  await read(csv);
  store.fail({ kind: 'delay', ms: 60_000 });
  const comparing = worker.compare();
  await vi.waitUntil(() => fetch.mock.calls.length > 0, { timeout: 30_000 });
  await worker.setTarget(undefined);
  await comparing;
  expect(view()).toMatchObject({ comparisonFailure: { cause: 'token' }, counts: { ready: 30, changed: 0 } });
  await worker.setTarget(target);
  expect(view()).toMatchObject({ comparisonFailure: undefined, counts: { ready: 30 } });
});

it('does not report a comparison once other columns are chosen', async () => {
  const { store, fetch, read, worker, views } = open();
  await read(csv);
  store.fail({ kind: 'delay', ms: 60_000 });
  const comparing = worker.compare();
  await vi.waitUntil(() => fetch.mock.calls.length > 0, { timeout: 30_000 });
  await read(csv);
  await comparing;
  // One for each file that was read.
  expect(views().filter((view) => 'comparisonFailure' in view)).toHaveLength(2);
});

it('does not report a comparison once another one has begun', async () => {
  const { store, fetch, read, worker, views } = open();
  await read(csv);
  const { length } = views();
  store.fail({ kind: 'delay', ms: 60_000 });
  const first = worker.compare();
  await vi.waitUntil(() => fetch.mock.calls.length > 0, { timeout: 30_000 });
  await Promise.all([first, worker.compare()]);
  expect(
    views()
      .slice(length)
      .filter(({ step }) => step === 'review'),
  ).toHaveLength(1);
});

it('ignores a second press while it runs', async () => {
  const { store, fetch, read, run, untilState } = open();
  await read(csv);
  store.fail({ kind: 'delay', ms: 300 });
  const running = run();
  await vi.waitUntil(() => fetch.mock.calls.length > 0, { timeout: 30_000 });
  await run();
  await running;
  expect((await untilState('ended')).counts).toMatchObject({ stored: 30, replayed: 0 });
  expect(fetch).toHaveBeenCalledTimes(1);
});
