import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import type { Compared } from './compare.js';
import { boundsMs, type Cause, causes, countStalls, nowMs, type Recording } from './explain-stalls.js';
import { describeMachine, machineLine } from './machine.js';
import { measureTargets } from './measure-targets.js';
import { formatCount, formatFigure, formatTable } from './report.js';
import { defaultResource } from './resource.js';
import { rampUpSeconds } from './send-load.js';
import { plantStore, type Target } from './targets.js';

const connections = 64;

/**
 * Sends creates to the service, and prints how often its event loop stalled, by cause and length.
 *
 * @returns whether it stored everything that it acknowledged
 */
export async function measureStalls({
  engine,
  folder,
  settings,
  records,
  resource = defaultResource,
}: Pick<Compared, 'engine' | 'folder' | 'settings' | 'resource'> & {
  readonly records: number;
}): Promise<boolean> {
  const machine = describeMachine(folder);
  const recordingsFolder = join(folder, 'stalls');
  mkdirSync(recordingsFolder);
  let warmMs = 0;
  const load = { operation: 'create', connections, records, resource } as const;
  const [run] = await measureTargets([withRecorder(recordingsFolder)], engine, folder, load, settings, () => {
    warmMs = nowMs();
  });
  if (run === undefined) throw new Error('Nothing was measured');
  const startMs = warmMs + rampUpSeconds * 1000;
  const rows = countStalls(readRecordings(recordingsFolder), {
    startMs,
    endMs: startMs + settings.seconds * 1000,
  });
  const columns = boundsMs.map((bound, index) => `${bound}–${boundsMs[index + 1] ?? ''}`);
  const table = formatTable(
    ['how late the event loop was, in ms', ...columns, 'longest'],
    (Object.keys(causes) as Cause[]).map((cause) => {
      const { counts, longestMs } = rows[cause];
      return [causes[cause], ...counts.map(formatCount), formatFigure(longestMs)];
    }),
  );
  process.stdout.write(
    `${table}\n\n` +
      `${settings.seconds} s of creates, ${connections} connections, ${formatCount(records)} ${resource.plural} before: ` +
      `${formatFigure(run.requestsPerSecond)} requests/s, p50 ${formatFigure(run.p50Ms)} ms, p99 ${formatFigure(run.p99Ms)}, ` +
      `p99.9 ${formatFigure(run.p999Ms)}, longest ${formatFigure(run.maxMs)}, errors ${run.errors}${run.valid ? '' : ', INVALID'}\n` +
      `${engine.title}, ${machineLine(machine)}\n`,
  );
  return run.valid;
}

/** Returns the service with a recorder in each of its threads, which writes to a folder. */
export function withRecorder(folder: string): Target {
  const service = plantStore();
  const recorder = new URL('../dist/record-stalls.js', import.meta.url);
  recorder.searchParams.set('folder', folder);
  return {
    ...service,
    prepare(databaseUrl, port) {
      const { command, ...launch } = service.prepare(databaseUrl, port);
      const [node, ...options] = command;
      return { ...launch, command: [node, '--import', recorder.href, ...options] };
    },
  };
}

/** Reads the recordings of all threads, after the service has ended. */
export function readRecordings(folder: string): Recording[] {
  return readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
}
