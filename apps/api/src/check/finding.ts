import { messageOf } from '../errors/operator-error.js';

type Status = 'ok' | 'warning' | 'error';

/** What an item of the check found. */
export interface Result {
  readonly status: Status;
  /** What was found: a phrase or sentences without a final full stop, and without secrets. */
  readonly found: string;
  /** What to do about it, in sentences; absent where all is well, or where `found` says it. */
  readonly advice?: string;
}

/** A result, and the item that it belongs to. */
export interface Finding extends Result {
  readonly item: string;
}

type Results = Result | readonly Result[];

/** One thing that `plant-store check` examines; `Context` is what it needs for that. It must change nothing. */
export interface Item<Context> {
  readonly name: string;
  /** Examines it; what it throws becomes an error of the item, so that it needs to catch nothing. */
  inspect(context: Context): Results | Promise<Results>;
}

export const ok = (found: string): Result => ({ status: 'ok', found });
export const warning = (found: string, advice: string): Result => ({ status: 'warning', found, advice });
export const failure = (found: string, advice?: string): Result => ({
  status: 'error',
  found,
  ...(advice !== undefined && { advice }),
});

/** Examines items one after the other, so that measurements do not disturb each other, and yields what it finds at once. */
export async function* inspectAll<Context>(
  items: readonly Item<Context>[],
  context: Context,
): AsyncGenerator<Finding> {
  for (const item of items) yield* await inspect(item, context);
}

async function inspect<Context>({ name, inspect }: Item<Context>, context: Context): Promise<Finding[]> {
  try {
    return [await inspect(context)].flat().map((result) => ({ item: name, ...result }));
  } catch (error) {
    return [{ item: name, ...failure(messageOf(error)) }];
  }
}

const severities: readonly Status[] = ['ok', 'warning', 'error'];

/** The worst status among findings. */
export function worstOf(findings: readonly Finding[]): Status {
  return severities.findLast((status) => findings.some((finding) => finding.status === status)) ?? 'ok';
}

/** One line: status, item, what was found, and what to do. */
export function formatFinding({ status, item, found, advice }: Finding): string {
  const text = [found, advice ?? ''].flatMap((part) => part.split('\n')).map(toSentence);
  return `${status.padEnd(7)}  ${item}: ${text.filter((sentence) => sentence !== '').join(' ')}\n`;
}

function toSentence(line: string): string {
  const text = line.trim();
  return text === '' || /[.!?]$/.test(text) ? text : `${text}.`;
}

/** The same findings as one JSON document, for scripts. */
export function formatJson(findings: readonly Finding[]): string {
  const ordered = findings.map(({ item, status, found, advice }) => ({ item, status, found, advice }));
  return `${JSON.stringify({ status: worstOf(findings), findings: ordered }, null, 2)}\n`;
}

/** The median of numbers, the upper one of two; 0 for none. */
export function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
