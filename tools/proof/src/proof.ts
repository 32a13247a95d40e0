/** The input of a proof from the command. */
export interface ProofContext {
  /** From 0 to 2,147,483,647. The same seed generates the same inputs in the same order. */
  readonly seed: number;
  /** `short` takes seconds. */
  readonly amount: 'short' | 'full';
  /** Reports progress, to standard error. */
  log(line: string): void;
  /** The environment of every service that is started, such as `{ WORKERS: '2' }`. */
  readonly settings: Readonly<Record<string, string>>;
  /** How many trials of a kind to run instead of those of `amount`, by the name of the kind, such as `crash-sqlite`. */
  readonly trials?: Readonly<Record<string, number>>;
}

/** The result of a proof for one promise. */
export interface ProofResult {
  /** A sentence, such as `A 200 survives a crash`. */
  readonly promise: string;
  /** Counts and measurements, by name. */
  readonly figures: Readonly<Record<string, number | string>>;
  /** The failures, with what is needed to reproduce each; none if the promise held. */
  readonly failures: readonly string[];
  /** Why it could not run here, such as for lack of a privilege. */
  readonly notRun?: string;
}

/** A way to try to break a promise repeatedly. */
export interface Trials {
  /** The name that `--trials` takes. */
  readonly name: string;
  readonly promise: string;
  /** How many trials. */
  readonly short: number;
  readonly full: number;
  /** What is missing on this machine. */
  findObstacle?(context: ProofContext): string | undefined | Promise<string | undefined>;
  /** Runs up to `count` trials, at least one, until the promise is broken. Rejects only if a trial itself fails. */
  prove(count: number, context: ProofContext): Promise<Omit<ProofResult, 'promise'>>;
}

/** Trials that try to break one or more promises, in order. */
export type Proof = readonly Trials[];

/** The results of a proof. */
export interface ProofRun {
  readonly name: string;
  readonly results: readonly ProofResult[];
}

/** Runs proofs one after the other. A trial that rejects counts as a failure, and does not stop the others. */
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
        await prove(trials, { ...context, log }).catch((error) => describeEnd(trials.name, error)),
      );
    runs.push({ name, results });
  }
  return runs;
}

async function prove(trials: Trials, context: ProofContext): Promise<ProofResult> {
  const { name, promise } = trials;
  const count = context.trials?.[name] ?? trials[context.amount];
  const notRun = count === 0 ? 'No trials of it were asked for.' : await trials.findObstacle?.(context);
  if (notRun !== undefined) return { promise, figures: {}, failures: [], notRun };
  const result = await trials.prove(count, context);
  context.log(`${name}: ${count} trials`);
  return { promise, ...result };
}

/** Whether a promise was broken, or a proof ended early. */
export function hasFailures(runs: readonly ProofRun[]): boolean {
  return runs.some(({ results }) => results.some(({ failures }) => failures.length > 0));
}

function describeEnd(name: string, error: unknown): ProofResult {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { promise: `The trials ${name} run to their end`, figures: {}, failures: [text] };
}
