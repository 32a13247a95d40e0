import { escapeForTerminal } from '@plant-store/contract/escape-invisible';
import { messageOf } from '../errors/operator-error.js';
import { docsPath } from '../package-folder.js';

type Status = 'ok' | 'warning' | 'error';

export interface Result {
  readonly status: Status;
  /** What was found, as a phrase or sentences, without a final period and without secrets. */
  readonly found: string;
  /** What to do, in sentences. Omitted if nothing is wrong, or if `found` says what to do. */
  readonly advice?: string;
}

export type Results = Result | readonly Result[];

export interface Finding extends Result {
  readonly item: string;
}

export const ok = (found: string): Result => ({ status: 'ok', found });
export const warning = (found: string, advice: string): Result => ({ status: 'warning', found, advice });
export const failure = (found: string, advice?: string): Result => ({
  status: 'error',
  found,
  ...(advice !== undefined && { advice }),
});

/**
 * Examines an item for `plant-store check`, and yields the findings.
 *
 * @param examine must not change anything. If it throws, the error becomes the finding
 */
export async function* inspect(
  item: string,
  examine: () => Results | Promise<Results>,
): AsyncGenerator<Finding> {
  const found = (async () => examine())();
  const results = await found.catch((error: unknown) => failure(messageOf(error)));
  for (const result of [results].flat()) yield { item, ...result };
}

export function describePending(pending: readonly { readonly name: string }[]): Result {
  if (pending.length === 0) return ok('up to date');
  return warning(
    `pending: ${pending.map(({ name }) => name).join(', ')}`,
    `Back up the database first (see ${docsPath('docs/operate/backup.md')}). Then apply the migrations: run plant-store migrate, or start the service.`,
  );
}

const severities: readonly Status[] = ['ok', 'warning', 'error'];

export function worstOf(findings: readonly Finding[]): Status {
  return severities.findLast((status) => findings.some((finding) => finding.status === status)) ?? 'ok';
}

/** Formats a finding as one line: status, item, what was found, and what to do. */
export function formatFinding({ status, item, found, advice }: Finding): string {
  const text = [found, advice ?? ''].flatMap((part) => part.split('\n')).map(toSentence);
  return `${status.padEnd(7)}  ${item}: ${escapeForTerminal(text.filter((sentence) => sentence !== '').join(' '))}\n`;
}

function toSentence(line: string): string {
  const text = line.trim();
  return text === '' || /[.!?]$/.test(text) ? text : `${text}.`;
}

export function formatJson(findings: readonly Finding[]): string {
  const ordered = findings.map(({ item, status, found, advice }) => ({ item, status, found, advice }));
  return `${JSON.stringify({ status: worstOf(findings), findings: ordered }, null, 2)}\n`;
}

/** The maximum time for repeating a measured action, in milliseconds. The action runs at least once. */
const maxMeasureMs = 3_000;

/** Returns an action's median duration over at most `maxRuns` runs, in milliseconds. Of two middle values, returns the higher one. */
export async function medianTimeMs(maxRuns: number, action: () => unknown): Promise<number> {
  const times: number[] = [];
  const start = performance.now();
  do {
    const before = performance.now();
    await action();
    times.push(performance.now() - before);
  } while (times.length < maxRuns && performance.now() - start < maxMeasureMs);
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}
