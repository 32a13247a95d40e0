/** What a proof gets from the command. */
export interface ProofContext {
  /** From 0 to 2,147,483,647. The same seed makes the same inputs in the same order. */
  readonly seed: number;
  /** `short` takes seconds, and needs neither privileges nor programs of the system. */
  readonly amount: 'short' | 'full';
  /** Reports progress, to standard error. */
  log(line: string): void;
  /** The environment of every service that is started, such as `{ WORKERS: '2' }`. */
  readonly settings: Readonly<Record<string, string>>;
  /** How many trials of a kind to run instead of those of `amount`, by the name of the kind, such as `crash-sqlite`. */
  readonly trials?: Readonly<Record<string, number>>;
}

/** What a proof found out about one promise. */
export interface ProofResult {
  /** A sentence, such as `A 200 survives a crash`. */
  readonly promise: string;
  /** What was counted and measured, by name. */
  readonly figures: Readonly<Record<string, number | string>>;
  /** Each with what is needed to reproduce it; none if the promise held. */
  readonly failures: readonly string[];
  /** Why it could not run here, such as for lack of a privilege. */
  readonly notRun?: string;
}

/** Tries to break one or more promises. It rejects only if the trial itself goes wrong. */
export type Proof = (context: ProofContext) => Promise<readonly ProofResult[]>;
