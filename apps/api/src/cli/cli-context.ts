import type { Readable, Writable } from 'node:stream';
import { escapeForTerminal } from '@plant-store/contract/escape-invisible';
import { type ExactJson, stringifyExactJson } from '@plant-store/contract/exact-json/stringify';
import { CommanderError } from 'commander';
import { codeOf, OperatorError } from '../errors/operator-error.js';

/** A command's input and output: `main.ts` passes in those of the process, tests their own. */
export interface CliContext {
  readonly commandName: string;
  /** The working directory, for resolving relative paths. */
  readonly folder: string;
  readonly input: Readable;
  /** Standard output, for the result of the command; see `writeResult`. */
  readonly output: Writable;
  readonly isTerminal: boolean;
  /** Writes a text unchanged to standard output: for commands whose main purpose is not to print. */
  print(text: string): void;
  /**
   * Writes a message for a person to standard error, with invisible characters escaped and a newline at the end. Resolves once it is
   * written, or dropped because the reader is gone. Only await it when you write many messages.
   */
  message(text: string): Promise<void>;
  /** Shows the progress of a command, replacing what was shown before; only on a terminal. */
  showProgress(text: string): void;
  /** Reports to the service manager, if there is one, that the service has started. */
  reportStarted(): Promise<void>;
  /** Resolves with the first SIGTERM or SIGINT or, unless `hangUp` is false, SIGHUP. */
  waitForStopSignal(options?: { readonly hangUp: boolean }): Promise<NodeJS.Signals>;
  onHangUp(listener: () => void): void;
  /** Resolves once the parent process, or the npx or pnpm that started the parent, has ended. */
  waitForParentExit(): Promise<void>;
}

/** The command to show in messages: `plant-store`, or in the repository an `npx` command that runs the same pnpm version. */
export function commandNameOf(environment: Readonly<Record<string, string | undefined>>): string {
  // pnpm sets these for the script `plant-store` of the root.
  const names = [environment['npm_package_name'], environment['npm_lifecycle_event']];
  if (!names.every((name) => name === 'plant-store')) return 'plant-store';
  const [pnpm = 'pnpm'] = environment['npm_config_user_agent']?.split(' ') ?? [];
  return `npx -y ${pnpm.replace('/', '@')} -s plant-store`;
}

/** An abort signal for SIGTERM, SIGINT and SIGHUP; the reason is an `OperatorError` that names the signal. */
export function abortOnSignal(context: CliContext): AbortSignal {
  const controller = new AbortController();
  void context.waitForStopSignal().then((name) => controller.abort(new OperatorError(`Stopped by ${name}.`)));
  return controller.signal;
}

/**
 * Writes a text and resolves once the stream has passed it on, so that a slow reader slows the writer down. The stream must have a listener
 * for errors, because it also emits them.
 *
 * @throws the stream's error, such as `EPIPE` when its reader has gone away
 */
export function writeAll(stream: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

/**
 * Writes a command's result to standard output, and resolves once it is written. The text is written as is, except on a terminal, where
 * invisible characters are escaped.
 *
 * @throws {OperatorError} when it cannot be written, unless its reader has gone away: `EPIPE`
 */
export async function writeResult(
  { output, isTerminal }: Pick<CliContext, 'output' | 'isTerminal'>,
  text: string,
): Promise<void> {
  await writeAll(output, isTerminal ? escapeForTerminal(text) : text).catch((error) => {
    throw explainOutputError(error);
  });
}

export interface JsonOption {
  readonly json?: boolean | undefined;
}

/** A line of JSON with API values. Every integer is exact. */
export function toJsonLine(value: object): string {
  return `${stringifyExactJson(value as ExactJson)}\n`;
}

/**
 * Reports what a command did: in words on standard error, and with `--json` also as an object on standard output. A closed output does not
 * matter, because the work is done.
 */
export async function reportOutcome(
  { isTerminal, print, message }: Pick<CliContext, 'isTerminal' | 'print' | 'message'>,
  { json = false }: JsonOption,
  outcome: object,
  words: string,
): Promise<void> {
  const line = toJsonLine(outcome);
  if (json) print(isTerminal ? escapeForTerminal(line) : line);
  await message(words);
}

/** The error to report when standard output fails. `EPIPE` stays as it is: a reader that has gone away is no error; see `main.ts`. */
export function explainOutputError(error: NodeJS.ErrnoException): Error {
  if (error.code === 'EPIPE') return error;
  return new OperatorError(`Cannot write to standard output: ${error.message}`, { cause: error });
}

/** A count with its noun, such as `1 token` or `5 tokens`. */
export function countOf(count: number | bigint, noun: string, plural = `${noun}s`): string {
  return `${count} ${Number(count) === 1 ? noun : plural}`;
}

/** Prints why a command failed, and returns its exit status. Commander already printed its own errors. */
export function reportFailure(error: unknown, context: Pick<CliContext, 'message'>): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof OperatorError) {
    void context.message(`plant-store: ${error.message}`);
    return error.exitCode;
  }
  // The reader of the result has read enough, as `head` does.
  if (codeOf(error) === 'EPIPE') return 1;
  void context.message(
    `plant-store: unexpected error\n${error instanceof Error ? error.stack : String(error)}`,
  );
  return 1;
}
