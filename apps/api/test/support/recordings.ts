import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './read-markdown.js';

/** What a service showed in an outage, at each scrape, every 15 seconds. */
export interface Recording {
  readonly title: string;
  /** How many creates were sent in a second. */
  readonly perSecond: number;
  /** When the outage began, in seconds since the first scrape. */
  readonly outageAt: number;
  /** The series that the alerts name, in the notation of promtool. Times are in seconds since the first scrape. */
  readonly series: readonly { readonly series: string; readonly values: string }[];
}

/** The value of a series at each scrape; none where it was missing. */
export type Samples = (number | undefined)[];

/** The alerts for Prometheus. */
export const alertsFile = join(root, 'deploy/monitoring/alerts.yml');

/** The names of the metrics that the alerts name. */
export const alertedMetrics: ReadonlySet<string> = new Set(
  readFileSync(alertsFile, 'utf8')
    .split('\n')
    .filter((line) => !/^\s*(#|summary:|reason:|action:)/.test(line))
    .join('\n')
    .match(/\b(plant_store|process|nodejs)_\w+/g),
);

const folder = join(root, 'apps/api/test/monitoring/recordings');

export function writeRecording(name: string, recording: Recording): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(recording, undefined, 2)}\n`);
}

/** All recordings, by their names. */
export function readRecordings(): ReadonlyMap<string, Recording> {
  const names = readdirSync(folder).map((file) => file.replace(/\.json$/, ''));
  return new Map(names.map((name) => [name, JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'))]));
}

/**
 * Writes samples in the notation of promtool.
 *
 * @param count how many scrapes there were
 * @param startedAt when the first of them was, in seconds since 1970: for promtool that is 0
 */
export function toSeries(
  samples: ReadonlyMap<string, Samples>,
  count: number,
  startedAt: number,
): Recording['series'] {
  return Array.from(samples, ([series, found]) => {
    // 0 and infinity stand for no time.
    const isTime = series.includes('_timestamp_seconds') && !series.startsWith('process_');
    const values = Array.from({ length: count }, (_, index) => {
      const value = found[index];
      return isTime && value && Number.isFinite(value) ? value - startedAt : value;
    });
    return { series, values: compress(values) };
  }).toSorted((a, b) => a.series.localeCompare(b.series));
}

/** Writes a value that repeats as `1+0x3`, and missing ones as `_x3`. */
function compress(values: Samples): string {
  const parts: string[] = [];
  for (let from = 0; from < values.length; ) {
    const value = values[from];
    let to = from + 1;
    while (to < values.length && Object.is(values[to], value)) to++;
    const count = to - from;
    if (count === 1) parts.push(format(value));
    else parts.push(value === undefined ? `_x${count}` : `${format(value)}+0x${count - 1}`);
    from = to;
  }
  return parts.join(' ');
}

function format(value: number | undefined): string {
  if (value === undefined) return '_';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : Number.isNaN(value) ? 'NaN' : '-Inf';
  return String(Number(value.toPrecision(12)));
}
