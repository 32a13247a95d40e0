import { ImportPlantsView } from './import-plants-view.js';
import { ImportSession } from './session/import-session.js';
import { spawnWorker } from './session/spawn-worker.js';

/** One for the page, so that a run outlives a change of the token. */
const session = new ImportSession(spawnWorker);

/**
 * The view "Import": adds plants from a file or from pasted lines.
 *
 * @param props `onTokenRejected` is called with the reason when the service no longer accepts the token; the run then waits
 * until the person resumes it with another token.
 */
export function ImportPlants(props: { readonly token: string; onTokenRejected(message: string): void }) {
  return <ImportPlantsView session={session} {...props} />;
}
