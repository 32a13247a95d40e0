import type { Readable, Writable } from 'node:stream';
import { escapeForTerminal } from '@plant-store/contract/escape-invisible';
import { type ExactJson, stringifyExactJson } from '@plant-store/contract/exact-json/stringify';
import { CommanderError } from 'commander';
import { codeOf, OperatorError } from '../errors/operator-error.js';

/** A command's input, output, and signals. `main.ts` provides those of the process, and tests provide their own. */
export interface CliContext {
  readonly commandName: string;
  /** The working directory, for resolving relative paths. */
  readonly folder: string;
  readonly input: Readable;
  /** Standard output, for the command's result; see `writeResult`. */
  readonly output: Writable;
  /** Whether standard output is a terminal. */
  readonly isTerminal: boolean;
  /** Writes a text unchanged to standard output, for commands whose main purpose is something other than printing. */
  print(text: string): void;
  /**
   * Writes a message for a person to standard error, escapes invisible characters, and adds a newline. The promise resolves once the message
   * is written, or dropped because the reader is gone. Await the promise only if you write many messages.
   */
  message(text: string): Promise<void>;
  /** Shows the command's progress on a terminal, in place of the previous text. Does nothing if there is no terminal. */
  showProgress(text: string): void;
  /** Notifies the service manager, if any, that the service has started. */
  reportStarted(): Promise<void>;
  /** Resolves with the first stop signal: SIGTERM, SIGINT, or, unless `hangUp` is `false`, SIGHUP. */
  waitForStopSignal(options?: { readonly hangUp: boolean }): Promise<NodeJS.Signals>;
  onHangUp(listener: () => void): void;
  /** Resolves once the parent process, or the npx or pnpm that started the parent, has ended. */
  waitForParentExit(): Promise<void>;
}

/** Returns the command to show in messages: `plant-store`, or in the repository, an `npx` command that runs the same pnpm version. */
export function commandNameOf(environment: Readonly<Record<string, string | undefined>>): string {
  // pnpm sets these variables when it runs the script `plant-store` of the root package.
  const names = [environment['npm_package_name'], environment['npm_lifecycle_event']];
  if (!names.every((name) => name === 'plant-store')) return 'plant-store';
  const [pnpm = 'pnpm'] = environment['npm_config_user_agent']?.split(' ') ?? [];
  return `npx -y ${pnpm.replace('/', '@')} -s plant-store`;
}

/** Returns a signal that aborts on SIGTERM, SIGINT, or SIGHUP. The reason is an `OperatorError` that names the received signal. */
export function abortOnSignal(context: CliContext): AbortSignal {
  const controller = new AbortController();
  void context.waitForStopSignal().then((name) => controller.abort(new OperatorError(`Stopped by ${name}.`)));
  return controller.signal;
}

/**
 * Writes a text to a stream, and resolves once the stream has processed the text, so that a slow reader slows the writer down. The stream must
 * have an `error` listener, because it also emits the error.
 *
 * @throws the stream's error, such as `EPIPE` if the reader is gone
 */
export function writeAll(stream: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

/**
 * Writes a command's result to standard output, and resolves once the result is written. On a terminal, invisible characters are escaped.
 * Otherwise, the text is unchanged.
 *
 * @throws {OperatorError} if the result cannot be written
 * @throws the stream's error `EPIPE` if the reader is gone
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

/** Formats API values as one line of JSON. Integers are exact. */
export function toJsonLine(value: object): string {
  return `${stringifyExactJson(value as ExactJson)}\n`;
}

/**
 * Reports what a command did: as a sentence on standard error and, with `--json`, also as an object on standard output. If standard output is
 * closed, the command still succeeds, because its work is done.
 */
export async function reportOutcome(
  { isTerminal, print, message }: Pick<CliContext, 'isTerminal' | 'print' | 'message'>,
  { json = false }: JsonOption,
  outcome: object,
  summary: string,
): Promise<void> {
  const line = toJsonLine(outcome);
  if (json) print(isTerminal ? escapeForTerminal(line) : line);
  await message(summary);
}

/**
 * Converts an error on standard output to an error that says what failed. Returns an `EPIPE` error unchanged, because it is not a failure when
 * the reader is gone; see `main.ts`.
 */
export function explainOutputError(error: NodeJS.ErrnoException): Error {
  if (error.code === 'EPIPE') return error;
  return new OperatorError(`Cannot write to standard output: ${error.message}`, { cause: error });
}

/** Returns a count with a noun, such as `1 token` or `5 tokens`. */
export function countOf(count: number | bigint, noun: string, plural = `${noun}s`): string {
  return `${count} ${Number(count) === 1 ? noun : plural}`;
}

/** Prints why a command failed, and returns the exit status. Commander has already printed its own errors. */
export function reportFailure(error: unknown, context: Pick<CliContext, 'message'>): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof OperatorError) {
    void context.message(`plant-store: ${error.message}`);
    return error.exitCode;
  }
  // The reader, such as `head`, has read enough and closed the pipe.
  if (codeOf(error) === 'EPIPE') return 1;
  void context.message(
    `plant-store: unexpected error\n${error instanceof Error ? error.stack : String(error)}`,
  );
  return 1;
}
