import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { sqlite } from '../src/databases.js';
import { type Cause, countStalls, explainStall, nowMs, type Span } from '../src/explain-stalls.js';
import { measureTargets } from '../src/measure-targets.js';
import { readRecordings, withRecorder } from '../src/stalls.js';

const stallOf = (startMs: number, endMs: number, waitedMs = 0) => ({ startMs, endMs, waitedMs });
const span = (cause: Span['cause'], startMs: number, endMs: number): Span => ({ cause, startMs, endMs });
const commit = span('commit', 103, 109);
const inserts = span('inserts', 100, 108);

it.each<[what: string, Cause, stall: ReturnType<typeof stallOf>, spans: Span[]]>([
  ['nothing that was recorded', 'other', stallOf(100, 110), []],
  ['a commit for most of it', 'commit', stallOf(100, 110), [span('inserts', 100, 103), commit]],
  ['a commit for the least of it', 'other', stallOf(90, 110), [commit]],
  ['the part within it alone', 'other', stallOf(100, 110), [span('commit', 50, 104)]],
  ['several commits', 'commit', stallOf(100, 110), [span('commit', 100, 103), span('commit', 105, 108)]],
  [
    'a commit in most of which the thread worked',
    'commitDuringCheckpoint',
    stallOf(100, 110),
    [commit, span('checkpoint', 105, 200)],
  ],
  ['a commit in some of which it worked', 'commit', stallOf(100, 110), [commit, span('checkpoint', 0, 105)]],
  ['work of the thread alone', 'other', stallOf(100, 110), [span('checkpoint', 100, 110)]],
  ['the end of a checkpoint', 'checkpointEnd', stallOf(100, 110), [span('checkpointEnd', 101, 109)]],
  ['inserts', 'inserts', stallOf(100, 110), [inserts, span('gc', 101, 102)]],
  ['garbage collection within inserts', 'gc', stallOf(100, 110), [inserts, span('gc', 101, 107)]],
  ['no processor for most of it', 'waiting', stallOf(100, 110, 6), [commit]],
  ['no processor for some of it', 'commit', stallOf(100, 110, 5), [commit]],
])('explains a stall by %s: %s', (_, cause, stall, spans) => {
  expect(explainStall(stall, spans)).toBe(cause);
});

it('counts the stalls that end within an interval, by their length, in any order, with what overlaps each', () => {
  const spans = [1_900, 900, 1_500, 1_000].map((at) => span('checkpointEnd', at, at + 90));
  const stalls = [
    stallOf(1_500, 1_600),
    stallOf(1_000, 1_099),
    stallOf(1_200, 1_202),
    stallOf(1_300, 1_301),
    stallOf(900, 999),
    stallOf(1_900, 2_000),
    stallOf(1_400, 1_400.9),
  ];
  const rows = countStalls(
    [
      { spans, stalls: [] },
      { spans: [], stalls },
    ],
    { startMs: 1_000, endMs: 2_000 },
  );
  expect(rows.checkpointEnd).toEqual({ counts: [0, 0, 0, 0, 0, 1, 1], longestMs: 100 });
  expect(rows.other).toEqual({ counts: [1, 1, 0, 0, 0, 0, 0], longestMs: 2 });
  expect(rows.commit).toEqual({ counts: [0, 0, 0, 0, 0, 0, 0], longestMs: 0 });
});

it('records what the threads of the service do while it stores creates', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-bench-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const records = join(folder, 'stalls');
  mkdirSync(records);
  const startedMs = nowMs();
  const settings = { rounds: 1, seconds: 2, warmupSeconds: 0.5 };
  const load = { operation: 'create', connections: 64 } as const;
  const [run] = await measureTargets([withRecorder(records)], sqlite, folder, load, settings);
  expect(run).toMatchObject({ valid: true, errors: 0 });
  expect(run?.maxMs).toBeGreaterThanOrEqual(Number(run?.p999Ms));

  const all = readRecordings(records);
  const spans = all.flatMap((record) => record.spans);
  const stalls = all.flatMap((record) => record.stalls);
  // On a fast machine, the end of a checkpoint, too.
  const found = new Set(spans.map(({ cause }) => cause).filter((cause) => cause !== 'checkpointEnd'));
  expect(found).toEqual(new Set(['commit', 'inserts', 'gc', 'checkpoint']));
  expect(stalls.length).toBeGreaterThan(0);
  const times = [...spans, ...stalls].flatMap(({ startMs, endMs }) => [startMs, endMs]);
  expect(Math.min(...times)).toBeGreaterThan(startedMs);
  expect(Math.max(...times)).toBeLessThan(nowMs());
});
