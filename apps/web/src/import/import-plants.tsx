import { home, navigate } from '../route.js';
import { ImportPlantsView } from './import-plants-view.js';
import { ImportSession } from './session/import-session.js';
import { spawnWorker } from './session/spawn-worker.js';

/** One for the page, so that a run outlives a change of the token. */
const session = new ImportSession(spawnWorker);

/**
 * The view "Import": adds plants from a file or from pasted lines. When the service no longer accepts the token, the run waits until the
 * person resumes it with another one.
 */
export function ImportPlants() {
  return <ImportPlantsView session={session} />;
}

/** Opens the view with lines that were pasted elsewhere. */
export function importPasted(text: string): void {
  session.readPasted(text);
  navigate({ ...home, view: 'import' });
}
