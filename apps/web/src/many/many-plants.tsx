import { ManyPlantsView } from './many-plants-view.js';
import { ManySession } from './session/many-session.js';
import { spawnWorker } from './session/spawn-worker.js';

/** One for the page, so that a run outlives a change of the token. */
const session = new ManySession(spawnWorker);

/**
 * The tab "Many plants": adds plants from a file or from pasted lines.
 *
 * @param props `onTokenRejected` is called with the reason when the service no longer accepts the token; the run then waits
 * until the person resumes it with another token.
 */
export function ManyPlants(props: { readonly token: string; onTokenRejected(message: string): void }) {
  return <ManyPlantsView session={session} {...props} />;
}
