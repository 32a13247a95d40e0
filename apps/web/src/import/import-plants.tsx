import { useEffect, useSyncExternalStore } from 'react';
import './import.css';
import { home, navigate } from '../route.js';
import { checkToken } from '../shared/check-token.js';
import { usePlantStore } from '../shared/plant-store.js';
import { formatCount, formatCountOf } from './format-count.js';
import { ImportSession, type ImportState } from './session/import-session.js';
import { spawnWorker } from './session/spawn-worker.js';
import { ChooseColumns } from './steps/choose-columns.js';
import { ChooseSource } from './steps/choose-source.js';
import { ReviewLines } from './steps/review-lines.js';
import { RunPlants } from './steps/run-plants.js';
import { StepFrame, type StepProps } from './steps/step-frame.js';

/** One session for the whole page, so that a run can continue after the token changes. */
const pageSession = new ImportSession(spawnWorker);

/** Opens the import with lines that were pasted in another view. */
export function importPasted(text: string): void {
  pageSession.readPasted(text);
  navigate({ ...home, view: 'import' });
}

/**
 * Imports plants from a file or from pasted lines. If the service rejects the token, the run waits until the person enters another token.
 *
 * @param checksToken whether to check the token with the service, which happens each time this becomes `true`
 * @param session replaced in tests
 */
export function ImportPlants({
  checksToken = false,
  session = pageSession,
}: {
  readonly checksToken?: boolean;
  readonly session?: ImportSession;
}) {
  const { client, token, rejectToken } = usePlantStore();
  const state = useSyncExternalStore(session.subscribe, session.getState);
  useEffect(() => session.setStore({ token, rejectToken }), [session, token, rejectToken]);
  useEffect(() => () => session.setStore(undefined), [session]);
  // Without this check, the person would learn of an invalid token only after choosing a file.
  useEffect(() => {
    if (!checksToken) return;
    const control = new AbortController();
    void checkToken(client, control.signal).then((problem) => {
      if (problem !== undefined && !control.signal.aborted) rejectToken(problem);
    });
    return () => control.abort();
  }, [checksToken, client, rejectToken]);
  usePreventStrayDrops();
  return (
    <section className="import" aria-label="Import">
      <Step session={session} state={state} />
      <p className="visually-hidden" role="status">
        {announce(state)}
      </p>
    </section>
  );
}

function Step({ session, state }: StepProps) {
  const { step, preview, fraction, progress } = state;
  if (step === 'source') return <ChooseSource session={session} state={state} />;
  if (step === 'reading')
    return <ReadingStep key={`${fraction === undefined}`} session={session} state={state} />;
  if (step === 'review') return <ReviewLines session={session} state={state} />;
  if (step === 'run') return progress && <RunPlants session={session} state={state} progress={progress} />;
  return preview?.columns && <ChooseColumns session={session} preview={preview} columns={preview.columns} />;
}

function ReadingStep({ session, state: { fraction } }: StepProps) {
  const isReading = fraction === undefined;
  const title = isReading ? 'Reading the lines' : 'Comparing with the saved plants';
  const cancel = (
    <button type="button" onClick={() => session.reset()}>
      Cancel
    </button>
  );
  return (
    <StepFrame step={isReading ? 'File' : 'Review'} title={title} actions={cancel}>
      <progress className="import-progress" value={fraction} max={1} aria-label={title} />
    </StepFrame>
  );
}

/** Prevents a file that is dropped outside the drop zone from replacing the page. Text can be dragged as usual. */
function usePreventStrayDrops(): void {
  useEffect(() => {
    const ignore = (event: DragEvent) => {
      const { dataTransfer } = event;
      if (event.defaultPrevented || !dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      dataTransfer.dropEffect = 'none';
    };
    const listening = new AbortController();
    for (const type of ['dragover', 'drop'] as const)
      window.addEventListener(type, ignore, { signal: listening.signal });
    return () => listening.abort();
  }, []);
}

/** Returns what screen readers announce in addition to the heading of each step. */
function announce({ step, counts, edited, progress }: ImportState): string {
  if (step === 'reading') return 'Reading the lines.';
  if (step === 'review' || edited !== undefined) {
    if (edited?.problem !== undefined) return `Line ${edited.line}: ${edited.problem}`;
    if (edited !== undefined) return `Line ${edited.line} is ready.`;
    const { ready, changed, problems } = counts;
    return `${formatCount(changed)} changed, ${formatCountOf(ready, 'new plant')}, ${formatCountOf(problems, 'line')} with a problem.`;
  }
  if (progress === undefined) return '';
  const { state, stopReason, retrying, done, total } = progress;
  if (state === 'running') return retrying ?? '';
  const end = state === 'ended' ? 'Finished.' : (stopReason?.message ?? 'Canceled.');
  return `${end} ${formatCount(done)} of ${formatCount(total)} plants processed.`;
}
