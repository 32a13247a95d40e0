/** What a command has of the world outside: `main.ts` hands it in, tests hand in their own. */
export interface Terminal {
  /** The folder in which the command was given; relative paths start there. */
  readonly folder: string;
  /** Writes the result of the command to standard output, as it is. */
  print(text: string): void;
  /** Writes a remark for a person to standard error, as one line. */
  remark(text: string): void;
  /** Resolves with the name of the first signal that asks the process to stop. */
  stopSignal(): Promise<NodeJS.Signals>;
}
