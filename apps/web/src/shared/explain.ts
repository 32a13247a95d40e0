import type { explainFailure, Failure, Purpose } from './explain-failure.js';
import { notLoaded } from './load-boundary.js';

let explanations: { readonly explainFailure: typeof explainFailure } | undefined;

/** Loads the explanations. Called at the first reply, because the network can be down when the first failure occurs. */
export async function loadExplanations(): Promise<void> {
  // If loading fails, the next call tries again.
  explanations ??= await import('./explain-failure.js').catch(() => undefined);
}

/** Explains an error that a client call throws. Until the explanations are loaded, only advises reloading the page. */
export function explain(error: unknown, purpose: Purpose): Failure {
  return (
    explanations?.explainFailure(error, purpose) ?? { about: 'later', message: notLoaded, cause: notLoaded }
  );
}
