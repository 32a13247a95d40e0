import { useEffect, useSyncExternalStore } from 'react';
import './import.css';
import { usePlantStore } from '../shared/plant-store.js';
import { formatCount, formatCountOf } from './format-count.js';
import type { ImportSession, ImportState } from './session/import-session.js';
import { ChooseColumns } from './steps/choose-columns.js';
import { ChooseSource } from './steps/choose-source.js';
import { ReviewLines } from './steps/review-lines.js';
import { RunPlants } from './steps/run-plants.js';
import { StepFrame, type StepProps } from './steps/step-frame.js';

/** What the page shows of a session. */
export function ImportPlantsView({ session }: { readonly session: ImportSession }) {
  const { token, rejectToken } = usePlantStore();
  const state = useSyncExternalStore(session.subscribe, session.getState);
  useEffect(() => {
    session.onTokenRejected = rejectToken;
  }, [session, rejectToken]);
  useEffect(() => session.useToken(token), [session, token]);
  useEffect(
    () => () => {
      session.onTokenRejected = undefined;
      session.forgetToken();
    },
    [session],
  );
  useDropsOutside();
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
  const { step, preview, fraction } = state;
  if (step === 'source') return <ChooseSource session={session} state={state} />;
  if (step === 'reading')
    return <Reading key={`${fraction === undefined}`} session={session} state={state} />;
  if (step === 'review') return <ReviewLines session={session} state={state} />;
  if (step === 'run') return <RunPlants session={session} state={state} />;
  return preview?.columns && <ChooseColumns session={session} preview={preview} columns={preview.columns} />;
}

/** Shows that lines are read and checked, or compared, and how far that is. */
function Reading({ session, state: { fraction } }: StepProps) {
  const isReading = fraction === undefined;
  const title = isReading ? 'Reading the lines' : 'Comparing with the stored plants';
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

/** A file that is dropped beside the place for it must not replace the page. Text may be dragged as usual. */
function useDropsOutside(): void {
  useEffect(() => {
    const ignore = (event: DragEvent) => {
      const { dataTransfer } = event;
      if (event.defaultPrevented || !dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      dataTransfer.dropEffect = 'none';
    };
    window.addEventListener('dragover', ignore);
    window.addEventListener('drop', ignore);
    return () => {
      window.removeEventListener('dragover', ignore);
      window.removeEventListener('drop', ignore);
    };
  }, []);
}

/** What a screen reader announces, beside the heading of each step, which takes the focus. */
function announce({ step, counts, edited, progress }: ImportState): string {
  if (step === 'reading') return 'Reading the lines.';
  if (step === 'review' || edited !== undefined) {
    if (edited?.problem !== undefined) return `Line ${edited.line}: ${edited.problem}`;
    if (edited !== undefined) return `Line ${edited.line} is ready.`;
    const { ready, changed, problems } = counts;
    return `${formatCount(changed)} changed, ${formatCountOf(ready, 'new plant')}, ${formatCountOf(problems, 'line')} with a problem.`;
  }
  if (progress === undefined) return '';
  const { state, stop, retrying, done, total } = progress;
  if (state === 'running') return retrying ?? '';
  const end = state === 'ended' ? 'Finished.' : (stop?.message ?? 'Cancelled.');
  return `${end} ${formatCount(done)} of ${formatCount(total)} plants done.`;
}
