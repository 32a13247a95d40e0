import type { Readable, Writable } from 'node:stream';

/** What a command has of the world outside: `main.ts` hands it in, tests hand in their own. */
export interface CliContext {
  /** The folder in which the command was given; relative paths start there. */
  readonly folder: string;
  /** Standard input. */
  readonly input: Readable;
  /** Standard output, for a result that is too large for `print`. */
  readonly output: Writable;
  /** Writes the result of the command to standard output, as it is. */
  print(text: string): void;
  /**
   * Writes a remark for a person to standard error, as one line. Resolves once it is written, or lost because nobody
   * reads it; only who has many of them need wait for that.
   */
  remark(text: string): Promise<void>;
  /** Shows how far a command is, in place of what was shown before; nothing where nobody is watching. */
  showProgress(text: string): void;
  /** Resolves with the name of the first signal that asks the process to stop. */
  stopSignal(): Promise<NodeJS.Signals>;
}
