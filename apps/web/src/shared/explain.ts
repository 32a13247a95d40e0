import type { explainFailure, Failure, Purpose } from './explain-failure.js';
import { notLoaded } from './load-boundary.js';

let explanations: { readonly explainFailure: typeof explainFailure } | undefined;

/** Loads the words for failures. It is called with the first reply, since a failure may be that the network is away. */
export async function loadExplanations(): Promise<void> {
  // Loaded by the next call, if not by this one.
  explanations ??= await import('./explain-failure.js').catch(() => undefined);
}

/** Explains what a call of the page's client ended with, once that has loaded the words for it. */
export function explain(error: unknown, purpose: Purpose): Failure {
  return (
    explanations?.explainFailure(error, purpose) ?? { about: 'later', message: notLoaded, cause: notLoaded }
  );
}
