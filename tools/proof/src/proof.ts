/** The input of a proof, from the command line. */
export interface ProofContext {
  /** From 0 to 2,147,483,647. The same seed generates the same inputs in the same order. */
  readonly seed: number;
  /** How many trials to run. `short` takes seconds. */
  readonly amount: 'short' | 'full';
  /** Prints progress to standard error. */
  log(line: string): void;
  /** The settings of every service, such as `{ WORKERS: '2' }`. */
  readonly settings: Readonly<Record<string, string>>;
  /** How many trials to run instead of `amount`, by the name of the kind, such as `crash-sqlite`. */
  readonly trials?: Readonly<Record<string, number>>;
}

/** The result of a proof for one promise. */
export interface ProofResult {
  /** A sentence, such as `A 200 survives a crash`. */
  readonly promise: string;
  /** Counts and measurements, by name. */
  readonly figures: Readonly<Record<string, number | string>>;
  /** The failures, with the information to reproduce each. Empty if the promise holds. */
  readonly failures: readonly string[];
  /** Why no trials ran, such as a missing privilege. */
  readonly notRun?: string;
}

/** Repeated trials that try to break a promise. */
export interface Trials {
  /** The name that `--trials` takes. */
  readonly name: string;
  readonly promise: string;
  /** How many trials run with `--amount short`. */
  readonly short: number;
  /** How many trials run with `--amount full`. */
  readonly full: number;
  /** Returns why the trials cannot run on this machine, or `undefined` if they can. */
  findMissingRequirement?(context: ProofContext): string | undefined | Promise<string | undefined>;
  /** Runs up to `count` trials, until the promise is broken. Rejects only if a trial cannot be carried out. */
  prove(count: number, context: ProofContext): Promise<Omit<ProofResult, 'promise'>>;
}

/** Trials of one or more promises, in order. */
export type Proof = readonly Trials[];

/** The results of a proof. */
export interface ProofRun {
  readonly name: string;
  readonly results: readonly ProofResult[];
}

/** Runs proofs one after the other. Trials that reject count as failed, and do not stop the others. */
export async function runProofs(
  proofs: Readonly<Record<string, Proof>>,
  context: ProofContext,
): Promise<readonly ProofRun[]> {
  const runs: ProofRun[] = [];
  for (const [name, proof] of Object.entries(proofs)) {
    context.log(`${name}: started, seed ${context.seed}`);
    const log = (line: string) => context.log(`${name}: ${line}`);
    const results: ProofResult[] = [];
    for (const trials of proof)
      results.push(
        await prove(trials, { ...context, log }).catch((error) => toFailedResult(trials.name, error)),
      );
    runs.push({ name, results });
  }
  return runs;
}

async function prove(trials: Trials, context: ProofContext): Promise<ProofResult> {
  const { name, promise } = trials;
  const count = context.trials?.[name] ?? trials[context.amount];
  const notRun = count === 0 ? 'No trials were requested.' : await trials.findMissingRequirement?.(context);
  if (notRun !== undefined) return { promise, figures: {}, failures: [], notRun };
  const result = await trials.prove(count, context);
  context.log(`${name}: ${count} trials`);
  return { promise, ...result };
}

/** Whether a promise was broken, or trials could not be carried out. */
export function hasFailures(runs: readonly ProofRun[]): boolean {
  return runs.some(({ results }) => results.some(({ failures }) => failures.length > 0));
}

function toFailedResult(name: string, error: unknown): ProofResult {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { promise: `All trials of ${name} complete`, figures: {}, failures: [text] };
}
