import { useEffect, useState, useSyncExternalStore } from 'react';
import './import.css';
import { usePlantStore } from '../shared/plant-store.js';
import { formatCount, formatCountOf } from './format-count.js';
import { type Announcer, createAnnouncer } from './session/announce.js';
import type { ImportSession } from './session/import-session.js';
import type { ImportState } from './session/import-state.js';
import { ChooseColumns } from './steps/choose-columns.js';
import { ChooseSource } from './steps/choose-source.js';
import { ReadLines } from './steps/read-lines.js';
import { ReviewLines } from './steps/review-lines.js';
import { RunPlants } from './steps/run-plants.js';
import { Stepper } from './steps/stepper.js';

interface ImportPlantsViewProps {
  readonly session: ImportSession;
}

/** What the tab shows of a session. */
export function ImportPlantsView({ session }: ImportPlantsViewProps) {
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
      <Stepper state={state} />
      <Step session={session} state={state} />
      <p className="visually-hidden" role="status">
        {useAnnouncement(state)}
      </p>
    </section>
  );
}

function Step({ session, state }: { readonly session: ImportSession; readonly state: ImportState }) {
  const { step, preview } = state;
  if (step === 'source') return <ChooseSource session={session} state={state} />;
  if (step === 'reading') return <ReadLines session={session} state={state} />;
  if (step === 'review') return <ReviewLines session={session} state={state} />;
  if (step === 'run') return <RunPlants session={session} state={state} />;
  return preview?.columns && <ChooseColumns session={session} preview={preview} columns={preview.columns} />;
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
function useAnnouncement({ step, counts, edited, progress }: ImportState): string {
  const [announcement, setAnnouncement] = useState('');
  const [announcer, setAnnouncer] = useState<Announcer>(() => createAnnouncer());
  useEffect(() => {
    if (step !== 'run') setAnnouncer(() => createAnnouncer());
    if (step === 'reading') setAnnouncement('Reading the lines.');
    if (step === 'review') {
      const { ready, changed, problems } = counts;
      setAnnouncement(
        `${formatCount(changed)} changed, ${formatCountOf(ready, 'new plant')}, ${formatCountOf(problems, 'line')} with a problem.`,
      );
    }
  }, [step]);
  useEffect(() => {
    if (edited === undefined) return;
    const { line, problem } = edited;
    setAnnouncement(problem === undefined ? `Line ${line} is ready.` : `Line ${line}: ${problem}`);
  }, [edited]);
  useEffect(() => {
    const text = progress && announcer(progress, performance.now());
    if (text !== undefined) setAnnouncement(text);
  }, [progress, announcer]);
  return announcement;
}
