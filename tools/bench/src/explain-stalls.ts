import process from 'node:process';

/** A time interval, in milliseconds on the clock of `nowMs`. */
export interface Interval {
  readonly startMs: number;
  readonly endMs: number;
}

/** Something that takes time in a thread. */
export interface Span extends Interval {
  readonly cause: 'commit' | 'inserts' | 'checkpoint' | 'checkpointEnd' | 'gc';
}

/** The time from when a timer was due until the event loop ran it. */
export interface Stall extends Interval {
  /** How long the thread was runnable during the stall but had no CPU. */
  readonly waitedMs: number;
}

/** The recording of one thread. Only that of the main thread has stalls. */
export interface Recording {
  readonly spans: readonly Span[];
  readonly stalls: readonly Stall[];
}

/** The causes of stalls, with their names in the table. */
export const causes = {
  commit: 'commit: write and sync of the log',
  commitDuringCheckpoint: 'commit, during a checkpoint of the thread',
  inserts: 'inserts before the commit',
  checkpointEnd: 'end of a checkpoint, between commits',
  gc: 'garbage collection',
  waiting: 'waiting for a CPU',
  other: 'everything else: requests and replies',
} as const;

export type Cause = keyof typeof causes;

/** The lower bounds of the columns. Shorter stalls do not count. */
export const boundsMs = [1, 2, 5, 10, 20, 50, 100] as const;

/** The stalls of a cause: their number by length, and the longest of them. */
export interface Row {
  readonly counts: number[];
  longestMs: number;
}

/** A monotonic clock shared by all threads and processes of a machine. */
export const nowMs = () => Number(process.hrtime.bigint()) / 1e6;

/** Counts the stalls that end within an interval. */
export function countStalls(
  recordings: readonly Recording[],
  { startMs, endMs }: Interval,
): Record<Cause, Row> {
  const names = Object.keys(causes) as Cause[];
  const rows = Object.fromEntries(
    names.map((cause) => [cause, { counts: boundsMs.map(() => 0), longestMs: 0 }]),
  ) as Record<Cause, Row>;
  const byStart = (a: Interval, b: Interval) => a.startMs - b.startMs;
  const spans = recordings.flatMap((recording) => recording.spans).toSorted(byStart);
  let first = 0;
  for (const stall of recordings.flatMap((recording) => recording.stalls).toSorted(byStart)) {
    while ((spans[first]?.endMs ?? Number.POSITIVE_INFINITY) < stall.startMs) first++;
    let last = first;
    while ((spans[last]?.startMs ?? Number.POSITIVE_INFINITY) < stall.endMs) last++;
    const lengthMs = lengthOf(stall);
    const column = boundsMs.findLastIndex((bound) => bound <= lengthMs);
    if (column < 0 || stall.endMs < startMs || stall.endMs >= endMs) continue;
    const row = rows[explainStall(stall, spans.slice(first, last))];
    row.counts[column] = (row.counts[column] ?? 0) + 1;
    row.longestMs = Math.max(row.longestMs, lengthMs);
  }
  return rows;
}

/**
 * Finds the main cause of a stall. A commit is during a checkpoint if the checkpoint took more than half of its time.
 *
 * @param spans the spans that overlap the stall
 */
export function explainStall(stall: Stall, spans: readonly Span[]): Cause {
  const lengthMs = lengthOf(stall);
  if (stall.waitedMs > lengthMs / 2) return 'waiting';
  const takenMs = {
    commit: 0,
    commitDuringCheckpoint: 0,
    inserts: 0,
    checkpointEnd: 0,
    gc: 0,
    other: lengthMs,
  };
  const within = (cause: Span['cause'], interval: Interval) =>
    spans.reduce((sum, span) => sum + (span.cause === cause ? overlapMs(span, interval) : 0), 0);
  for (const span of spans) {
    if (span.cause === 'checkpoint') continue;
    let ms = overlapMs(span, stall);
    // Garbage collection runs during inserts.
    if (span.cause === 'inserts') ms -= within('gc', intersectionOf(span, stall));
    const isDuringCheckpoint = span.cause === 'commit' && within('checkpoint', span) > lengthOf(span) / 2;
    takenMs[isDuringCheckpoint ? 'commitDuringCheckpoint' : span.cause] += ms;
    takenMs.other -= ms;
  }
  const [[cause] = ['other']] = Object.entries(takenMs).toSorted(([, a], [, b]) => b - a);
  return cause as Cause;
}

const lengthOf = ({ startMs, endMs }: Interval) => endMs - startMs;
const intersectionOf = (a: Interval, b: Interval): Interval => ({
  startMs: Math.max(a.startMs, b.startMs),
  endMs: Math.min(a.endMs, b.endMs),
});
const overlapMs = (a: Interval, b: Interval) => Math.max(0, lengthOf(intersectionOf(a, b)));
