import { useEffect, useState, useSyncExternalStore } from 'react';
import './import.css';
import { type Announcer, createAnnouncer } from './session/announce.js';
import { formatCountOf } from './session/format-progress.js';
import type { ImportSession } from './session/import-session.js';
import type { ImportState } from './session/import-state.js';
import { ChoosePlants } from './steps/choose-plants.js';
import { PreviewPlants } from './steps/preview-plants.js';
import { ReadingPlants } from './steps/reading-plants.js';
import { RunPlants } from './steps/run-plants.js';
import { RunSummary } from './steps/run-summary.js';

interface ImportPlantsViewProps {
  readonly session: ImportSession;
  readonly token: string;
  onTokenRejected(message: string): void;
}

/** What the tab shows of a session. */
export function ImportPlantsView({ session, token, onTokenRejected }: ImportPlantsViewProps) {
  const state = useSyncExternalStore(session.subscribe, session.getState);
  useEffect(() => {
    session.onTokenRejected = onTokenRejected;
  }, [session, onTokenRejected]);
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
      <Step session={session} state={state} token={token} />
      <p className="visually-hidden" role="status">
        {useAnnouncement(state)}
      </p>
    </section>
  );
}

function Step({ session, state, token }: { session: ImportSession; state: ImportState; token: string }) {
  const { step, preview, progress } = state;
  if (step === 'choose') return <ChoosePlants session={session} state={state} />;
  if (step === 'reading' || preview === undefined) return <ReadingPlants session={session} state={state} />;
  if (step === 'preview') {
    return <PreviewPlants session={session} state={state} preview={preview} token={token} />;
  }
  if (progress?.state === 'ended') {
    return <RunSummary session={session} state={state} preview={preview} progress={progress} />;
  }
  return <RunPlants session={session} preview={preview} progress={progress} token={token} />;
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

/** What a screen reader announces. */
function useAnnouncement({ step, preview, progress }: ImportState): string {
  const [announcement, setAnnouncement] = useState('');
  const [announcer, setAnnouncer] = useState<Announcer>(() => createAnnouncer());
  useEffect(() => {
    if (step !== 'run') setAnnouncer(() => createAnnouncer());
    if (step === 'reading') setAnnouncement('Reading the lines.');
    if (step === 'preview' && preview !== undefined) {
      setAnnouncement(
        `${formatCountOf(preview.plants, 'plant')}, ${formatCountOf(preview.faulty, 'faulty line')}.`,
      );
    }
  }, [step, preview]);
  useEffect(() => {
    const text = progress && announcer(progress, performance.now());
    if (text !== undefined) setAnnouncement(text);
  }, [progress, announcer]);
  return announcement;
}
