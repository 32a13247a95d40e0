import { type MouseEvent, useEffect, useState } from 'react';
import { formatRoute, home, navigate } from '../../route.js';
import { useMay } from '../../shared/use-scopes.js';
import { formatCount, formatCountOf } from '../format-count.js';
import type { Counts, Progress } from '../protocol.js';
import type { ImportSession } from '../session/import-session.js';
import type { ImportState } from '../session/import-state.js';
import { DownloadButton, SendButton, StartOver } from './review-lines.js';
import { StepHeading } from './step-heading.js';

interface RunPlantsProps {
  readonly session: ImportSession;
  readonly state: ImportState;
}

/** Shows how far a run is, why it has stopped, or its outcome. */
export function RunPlants({ session, state }: RunPlantsProps) {
  const progress = state.progress ?? {
    task: 'add',
    state: 'running',
    done: 0,
    total: state.counts.ready + state.counts.changed,
    rejected: 0,
    rejections: [],
    kept: 0,
    restored: 0,
    stop: undefined,
    retrying: undefined,
  };
  const isRunning = progress.state === 'running';
  const percent = percentOf(progress);
  useTitle(isRunning ? `${percent} %` : undefined);
  const left = useTimeLeft(progress);
  return (
    <div className="import-step">
      <StepHeading key={progress.state}>{describeState(progress, state)}</StepHeading>
      <progress
        className="import-progress"
        value={progress.done}
        max={progress.total}
        aria-label="Plants done"
      />
      <p className="import-line-count">
        <span>{`${formatCount(progress.done)} of ${formatCount(progress.total)} (${percent} %)`}</span>
        {left !== undefined && <span>{`, ${left}`}</span>}
      </p>
      <Totals state={state} rejected={progress.rejected} />
      {!isRunning && progress.rejections.length > 0 && (
        <ul className="import-rejections">
          {progress.rejections.map(({ line, reason }) => (
            <li key={line}>{`Line ${formatCount(line)}: ${reason}`}</li>
          ))}
          {progress.rejected > progress.rejections.length && (
            <li>{`and ${formatCount(progress.rejected - progress.rejections.length)} more`}</li>
          )}
        </ul>
      )}
      {/* Keeps its room, so that nothing moves when the run ends. */}
      <p className="import-note import-stop">
        {isRunning
          ? progress.retrying
          : progress.state === 'stopped' &&
            `${progress.stop?.message ?? ''} ${progress.task === 'undo' ? 'Continue undoes what is left.' : 'Nothing is lost: Continue sends what is left, and nothing is stored twice.'}`}
      </p>
      <Actions session={session} state={state} progress={progress} />
    </div>
  );
}

/** Goes to the plants without loading the page again; not by `RouteLink`, which would move code into the first view. */
function showPlants(event: MouseEvent): void {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  navigate(home);
}

function Actions({
  session,
  state,
  progress,
}: RunPlantsProps & { readonly progress: Pick<Progress, 'task' | 'state'> }) {
  const { counts, preview } = state;
  const [canUpdate, canDelete] = [useMay('update'), useMay('delete')];
  if (progress.state === 'running') {
    return (
      <p className="import-actions">
        {/* Not where the button that started the run was, so that a second click does not cancel it. */}
        <button type="button" className="import-apart" onClick={() => session.cancel()}>
          Cancel
        </button>
      </p>
    );
  }
  const isUndo = progress.task === 'undo';
  return (
    <p className="import-actions">
      {progress.state === 'stopped' && (
        <button type="button" className="primary" onClick={() => session.resume()}>
          Continue
        </button>
      )}
      {counts.conflicts > 0 && !isUndo && (
        <button type="button" className="primary" onClick={() => session.review('changed')}>
          {`Review ${formatCountOf(counts.conflicts, 'plant')} changed by others`}
        </button>
      )}
      {progress.state === 'ended' && !isUndo && <SendButton session={session} state={state} reuses={false} />}
      {progress.state === 'ended' && !isUndo && (
        <a href={formatRoute(home)} className="button" onClick={showPlants}>
          View plants
        </a>
      )}
      {progress.state === 'ended' && !isUndo && counts.retired > 0 && canUpdate && (
        <button type="button" onClick={() => session.run('reuse')}>
          {`Add ${formatCountOf(counts.retired, 'deleted plant')} again`}
        </button>
      )}
      {isUndo && preview?.columns && progress.state === 'ended' && (
        <button type="button" onClick={() => session.backToColumns()}>
          Back to columns
        </button>
      )}
      {counts.problems + counts.retired > 0 && !isUndo && (
        <>
          <button type="button" onClick={() => session.review(counts.problems > 0 ? 'problems' : 'retired')}>
            {`Edit ${formatCountOf(counts.problems + counts.retired, 'line')}`}
          </button>
          <DownloadButton session={session} state={state} />
        </>
      )}
      {preview && <StartOver session={session} state={state} />}
      {counts.stored + counts.updated > 0 &&
        !isUndo &&
        (counts.stored === 0 || canDelete) &&
        (counts.updated === 0 || canUpdate) && <UndoImport session={session} counts={counts} />}
    </p>
  );
}

/** Deletes what this import has added, and restores what it has updated, after a second press. */
function UndoImport({ session, counts }: { readonly session: ImportSession; readonly counts: Counts }) {
  const { stored, updated } = counts;
  const [asks, setAsks] = useState(false);
  if (!asks) {
    return (
      <button type="button" onClick={() => setAsks(true)}>
        Undo this import
      </button>
    );
  }
  return (
    <>
      <button type="button" className="danger" onClick={() => session.run('undo')}>
        {updated === 0
          ? `Delete the ${formatCountOf(stored, 'plant')} that it added`
          : stored === 0
            ? `Restore the ${formatCountOf(updated, 'plant')} that it updated`
            : `Restore ${formatCountOf(updated, 'plant')} and delete ${formatCount(stored)}`}
      </button>
      <button type="button" onClick={() => setAsks(false)}>
        {`Keep ${stored + updated === 1 ? 'it' : 'them'}`}
      </button>
    </>
  );
}

function Totals({ state: { counts, progress }, rejected }: { state: ImportState; rejected: number }) {
  const left = progress === undefined || progress.state === 'ended' ? 0 : counts.ready + counts.changed;
  const elsewhere = counts.conflicts + (progress?.kept ?? 0);
  return (
    <dl className="import-totals">
      <Total title="Added" count={counts.stored} />
      <Total title="Updated" count={counts.updated} />
      <Total title="Unchanged" count={counts.replayed} />
      {counts.repeated > 0 && <Total title="Same as another line" count={counts.repeated} />}
      {elsewhere > 0 && <Total title="Changed by others" count={elsewhere} bad />}
      {counts.retired > 0 && <Total title="Deleted before" count={counts.retired} bad />}
      <Total title="Rejected" count={rejected} bad />
      <Total title="Skipped" count={counts.problems - rejected + counts.skipped} bad />
      {progress?.state === 'stopped' && <Total title="Left" count={left} />}
    </dl>
  );
}

/** One count of plants. */
function Total({ title, count, bad = false }: { title: string; count: number; bad?: boolean }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd className={bad && count > 0 ? 'import-bad' : undefined}>{formatCount(count)}</dd>
    </div>
  );
}

function percentOf({ done, total }: Pick<Progress, 'done' | 'total'>): number {
  return total === 0 ? 100 : Math.floor((100 * done) / total);
}

function describeState(
  {
    task,
    state,
    stop,
    done,
    kept,
    restored,
    rejected,
  }: Pick<Progress, 'task' | 'state' | 'stop' | 'done' | 'kept' | 'restored' | 'rejected'>,
  { counts, preview }: ImportState,
) {
  if (state === 'running') return task === 'undo' ? 'Undoing the import' : 'Saving plants';
  if (state === 'stopped') return stop === undefined ? 'Cancelled' : 'Interrupted';
  if (task === 'undo') {
    const deleted = done - kept - restored;
    const undone = `Undone: ${listCounts([deleted, 'deleted'], [restored, 'restored'])}.`;
    if (kept === 0) return undone;
    return `${undone} ${formatCount(kept)} ${kept === 1 ? 'was' : 'were'} changed since, and ${kept === 1 ? 'stays' : 'stay'}.`;
  }
  const { stored, updated, replayed, repeated, conflicts, retired, problems, skipped } = counts;
  const others = [
    [replayed, 'unchanged'],
    [repeated, 'the same as another line'],
    [conflicts, 'changed by somebody else since the review'],
    [retired, 'deleted before'],
    [rejected, 'rejected'],
    [problems - rejected + skipped, 'skipped'],
  ] as const;
  const sentences = others.flatMap(([count, what]) =>
    count > 0 ? ` ${formatCount(count)} ${count === 1 ? 'was' : 'were'} ${what}.` : [],
  );
  return (
    <>
      <span>{`${listCounts([stored, 'added'], [updated, 'updated'])} from`}</span>{' '}
      {preview?.fileName === undefined ? (
        <span>the pasted lines</span>
      ) : (
        <bdi translate="no">{preview.fileName}</bdi>
      )}
      <span>{`.${sentences.join('')}`}</span>
    </>
  );
}

/** Such as `2 plants added and 1 updated`; without any, the first with none. */
function listCounts(...listed: readonly (readonly [count: number, done: string])[]): string {
  const counted = listed.filter(([count]) => count > 0);
  return (counted.length > 0 ? counted : listed.slice(0, 1))
    .map(
      ([count, done], index) => `${index === 0 ? formatCountOf(count, 'plant') : formatCount(count)} ${done}`,
    )
    .join(' and ');
}

/** How long a run will still take at the pace that it has had, once it has run for three seconds. */
function useTimeLeft({ state, done, total }: Pick<Progress, 'state' | 'done' | 'total'>): string | undefined {
  const isRunning = state === 'running';
  const [start, setStart] = useState<{ atMs: number; done: number }>();
  useEffect(() => setStart(isRunning ? { atMs: performance.now(), done } : undefined), [isRunning]);
  if (start === undefined || done <= start.done) return undefined;
  const elapsedMs = performance.now() - start.atMs;
  if (elapsedMs < 3_000) return undefined;
  const seconds = Math.ceil(((total - done) * elapsedMs) / (done - start.done) / 1_000);
  return seconds < 90
    ? `about ${formatCountOf(Math.ceil(seconds / 10) * 10, 'second')} left`
    : `about ${formatCountOf(Math.round(seconds / 60), 'minute')} left`;
}

/** Puts a text in front of the title of the document, as long as there is one. */
function useTitle(text: string | undefined): void {
  const hasText = text !== undefined;
  useEffect(() => {
    if (!hasText) return;
    const before = document.title;
    return () => {
      document.title = before;
    };
  }, [hasText]);
  useEffect(() => {
    if (text !== undefined) document.title = `${text} · ${document.title.replace(/^\d+ % · /, '')}`;
  }, [text]);
}
