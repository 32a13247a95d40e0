import type { Readable, Writable } from 'node:stream';
import { OperatorError } from '../errors/operator-error.js';

/** A command's input and output: `main.ts` passes in those of the process, tests their own. */
export interface CliContext {
  /** The command as the user has typed it, such as `plant-store`. */
  readonly commandName: string;
  /** The working directory, to which relative paths are relative. */
  readonly folder: string;
  /** Standard input. */
  readonly input: Readable;
  /**
   * Standard output, for a result that the command is called for; see `writeResult`.
   *
   * @throws {OperatorError} when it is closed
   */
  readonly output: Writable;
  /** Whether standard output is a terminal. */
  readonly isTerminal: boolean;
  /** Writes a text to standard output, unchanged, if that is open: for commands that do more than print it. */
  print(text: string): void;
  /**
   * Writes a message for a person to standard error, as one line. Resolves once it is written, or lost because nobody
   * reads it; awaiting that matters only for many messages.
   */
  message(text: string): Promise<void>;
  /** Shows the progress of a command, replacing what was shown before; only on a terminal. */
  showProgress(text: string): void;
  /** Reports to the service manager, if there is one, that the service has started. */
  reportStarted(): Promise<void>;
  /** Resolves with the first SIGTERM or SIGINT or, unless `hangUp` is false, SIGHUP. */
  stopSignal(options?: { readonly hangUp: boolean }): Promise<NodeJS.Signals>;
  /** Calls the listener with each SIGHUP. */
  onHangUp(listener: () => void): void;
  /** Resolves once the process that started this one, or the npx or pnpm that started that one, has ended. */
  startingProcessEnded(): Promise<void>;
}

/** The command as the user has typed it: in the repository pnpm runs it, elsewhere it is `plant-store`. */
export function commandNameOf(environment: Readonly<Record<string, string | undefined>>): string {
  // pnpm sets these for the script `plant-store` of the root.
  const isScript =
    environment['npm_package_name'] === 'plant-store' && environment['npm_lifecycle_event'] === 'plant-store';
  return isScript ? 'npx -y pnpm@10.34.9 -s plant-store' : 'plant-store';
}

/** An abort signal for SIGTERM, SIGINT and SIGHUP; the reason is an `OperatorError` that names the signal. */
export function abortOnSignal(context: CliContext): AbortSignal {
  const controller = new AbortController();
  void context.stopSignal().then((name) => controller.abort(new OperatorError(`Stopped by ${name}.`)));
  return controller.signal;
}
