import type { explainFailure, Failure, Purpose } from './explain-failure.js';
import { notLoaded } from './load-boundary.js';

let explanations: { readonly explainFailure: typeof explainFailure } | undefined;

/** Loads the texts for failures. Called at the first reply, because a later failure may be a network outage. */
export async function loadExplanations(): Promise<void> {
  // Loaded by the next call, if not by this one.
  explanations ??= await import('./explain-failure.js').catch(() => undefined);
}

/** Explains the error of a client call, after the texts have been loaded. */
export function explain(error: unknown, purpose: Purpose): Failure {
  return (
    explanations?.explainFailure(error, purpose) ?? { about: 'later', message: notLoaded, cause: notLoaded }
  );
}
