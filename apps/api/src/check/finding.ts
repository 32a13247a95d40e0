import { messageOf } from '../errors/message-of.js';

export type Status = 'ok' | 'warning' | 'error';

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
