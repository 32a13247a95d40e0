import { useEffect, useRef, useState } from 'react';
import { formatCount } from '../format-count.js';
import type { Preview, Progress } from '../protocol.js';
import { formatProgress, formatTimeLeft } from '../session/format-progress.js';
import type { ImportSession } from '../session/import-session.js';
import { isPasted } from './start-over.js';
import { StepHeading } from './step-heading.js';

interface RunPlantsProps {
  readonly session: ImportSession;
  readonly preview: Preview;
  /** `undefined` until the worker reports the first time. */
  readonly progress: Progress | undefined;
  readonly token: string;
}

/** Shows how far a run is, and lets the person pause, resume and cancel it. */
export function RunPlants({ session, preview, progress, token }: RunPlantsProps) {
  const state = progress?.state ?? 'running';
  const toggle = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // "Resume now" is gone once the run goes on.
    if (state === 'running' && document.activeElement === document.body) toggle.current?.focus();
  }, [state]);
  return (
    <div className="import-step">
      <StepHeading key={state === 'cancelling' ? 'cancelling' : 'adding'}>
        {state === 'cancelling' ? 'Cancelling' : 'Adding plants'}
      </StepHeading>
      <RunProgress preview={preview} progress={progress} />
      <p className="import-stop">
        {progress?.stop?.message} <Countdown progress={progress} />
      </p>
      {state !== 'cancelling' && (
        <p className="import-actions">
          {state === 'paused' ? (
            <button
              key="toggle"
              ref={toggle}
              type="button"
              className="primary"
              onClick={() => session.resume(token)}
            >
              Resume
            </button>
          ) : (
            <button key="toggle" ref={toggle} type="button" onClick={() => session.control('pause')}>
              Pause
            </button>
          )}
          {state === 'waiting' && (
            <button type="button" className="primary" onClick={() => session.resume(token)}>
              Resume now
            </button>
          )}
          <button type="button" className="import-apart" onClick={() => session.control('cancel')}>
            Cancel
          </button>
        </p>
      )}
      <p className="import-hint">
        You can cancel or close the page:{' '}
        {isPasted(preview) ? 'paste the same lines' : 'choose the same file'} again later, and nothing is
        stored twice.
      </p>
    </div>
  );
}

function RunProgress({ preview, progress }: Pick<RunPlantsProps, 'preview' | 'progress'>) {
  const { stored = 0, replayed = 0, rejected = 0, state = 'running', rate = 0, secondsLeft } = progress ?? {};
  const { done, total } =
    progress === undefined ? { done: 0, total: preview.plants } : formatProgress(progress);
  return (
    <>
      <progress className="import-progress" value={done} max={total} aria-label="Plants done" />
      <p className="import-line">
        <strong>
          {formatCount(done)} of {formatCount(total)}
        </strong>
        <span>{state === 'running' ? `${formatCount(Math.round(rate))} plants/s` : ''}</span>
        <span>{state === 'running' ? formatTimeLeft(secondsLeft) : describeState(progress)}</span>
      </p>
      <dl className="import-totals">
        <Total title="Stored" count={stored} />
        <Total title="Was there already" count={replayed} />
        <Total title="Rejected" count={rejected} bad />
      </dl>
    </>
  );
}

function describeState(progress: Progress | undefined): string {
  if (progress === undefined) return '';
  const { state, inFlight } = progress;
  if (state === 'waiting') return 'Waiting';
  if (state === 'cancelling') return `Cancelling: ${inFlight} in flight`;
  return inFlight > 0 ? `Pausing: ${inFlight} in flight` : 'Paused';
}

/** One count of plants. */
export function Total({ title, count, bad = false }: { title: string; count: number; bad?: boolean }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd className={bad && count > 0 ? 'import-bad' : undefined}>{formatCount(count)}</dd>
    </div>
  );
}

/** When a run that waits goes on, second by second; not announced. */
function Countdown({ progress }: Pick<RunPlantsProps, 'progress'>) {
  const resumesAt = progress?.resumesAt;
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (resumesAt === undefined) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, [resumesAt]);
  if (progress?.stop === undefined) return null;
  if (resumesAt === undefined) return <>Nothing is lost: press Resume to go on.</>;
  return <>Goes on by itself in {Math.max(0, Math.ceil((resumesAt - now) / 1000))} s.</>;
}
