import { useQueryClient } from '@tanstack/react-query';
import { type MouseEvent, useEffect, useEffectEvent, useState } from 'react';
import { useUndo } from '../../plants/undo-provider.js';
import { recount } from '../../plants/use-plants.js';
import { formatRoute, home, navigate } from '../../route.js';
import { sortedHome } from '../../shared/sort-list.js';
import { useHasScope } from '../../shared/use-scopes.js';
import { formatCount, formatCountOf } from '../format-count.js';
import type { Progress } from '../protocol.js';
import type { ImportState } from '../session/import-session.js';
import { LineGroups, SendButton, StartOver } from './line-groups.js';
import { StepFrame, type StepProps } from './step-frame.js';

interface RunProps extends StepProps {
  readonly progress: Progress;
}

/** Shows the progress of a run. After the run, shows its outcome or why it stopped, and the lines. */
export function RunPlants({ session, state, progress }: RunProps) {
  const { task, done, total, stopReason, retrying } = progress;
  const { stored, updated } = state.counts;
  const canUndo = useCanUndo(state) && progress.state === 'ended' && task !== 'undo';
  const { addImport } = useUndo();
  // Ctrl+Z anywhere on the page also undoes the import.
  const addUndo = useEffectEvent(() =>
    addImport(`${formatCountOf(stored + updated, 'plant')} imported`, () => {
      navigate({ ...home, view: 'import' });
      session.run('undo');
    }),
  );
  useEffect(() => (canUndo ? addUndo() : undefined), [canUndo]);
  const queryClient = useQueryClient();
  useEffect(
    () => (progress.state === 'running' ? undefined : recount(queryClient)),
    [progress.state, queryClient],
  );
  const percent = total === 0 ? 100 : Math.floor((100 * done) / total);
  const advice =
    task === 'undo'
      ? 'Press Continue to undo the rest.'
      : 'Nothing is lost. Press Continue to save the rest. Nothing is saved twice.';
  const note = progress.state === 'running' ? retrying : `${stopReason?.message ?? ''} ${advice}`;
  return (
    <StepFrame
      key={progress.state}
      step="Done"
      title={describeProgress(progress, state)}
      actions={<Actions session={session} state={state} progress={progress} />}
    >
      {progress.state !== 'ended' && (
        <>
          <progress className="import-progress" value={done} max={total} aria-label="Plants processed" />
          <p className="import-line-count">{`${formatCount(done)} of ${formatCount(total)} (${percent}%)`}</p>
          <p className="import-note import-stop">{note}</p>
        </>
      )}
      {progress.state !== 'running' && <LineGroups session={session} state={state} />}
    </StepFrame>
  );
}

/** Navigates to the plants without reloading the page. `RouteLink` is not used, because its code would move to the first view's bundle. */
function showPlants(event: MouseEvent): void {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  navigate(sortedHome());
}

function Actions({ session, state, progress }: RunProps) {
  const canUpdate = useHasScope('update');
  const { task } = progress;
  if (progress.state === 'running') {
    return (
      <button type="button" onClick={() => session.send('cancel')}>
        Cancel
      </button>
    );
  }
  const { retired } = state.counts;
  const isUndo = task === 'undo';
  return (
    <>
      {!isUndo && <UndoImport session={session} state={state} />}
      {isUndo && state.preview?.columns && progress.state === 'ended' && (
        <button type="button" onClick={() => session.change({ step: 'columns' })}>
          Back to columns
        </button>
      )}
      <StartOver session={session} state={state} />
      {progress.state === 'stopped' ? (
        <button type="button" className="primary" onClick={() => session.run(task)}>
          Continue
        </button>
      ) : (
        !isUndo && (
          <>
            {retired > 0 && canUpdate && (
              <button type="button" onClick={() => session.run('reuse')}>
                {`Add ${formatCountOf(retired, 'deleted plant')} again`}
              </button>
            )}
            <SendButton session={session} state={state} />
            <a href={formatRoute(home)} className="button" onClick={showPlants}>
              View plants
            </a>
          </>
        )
      )}
    </>
  );
}

/** A button that undoes this import after a second press: deletes the plants that it added, and restores those that it updated. */
function UndoImport({ session, state }: StepProps) {
  const { stored, updated } = state.counts;
  const [isConfirming, setConfirming] = useState(false);
  if (!useCanUndo(state)) return undefined;
  if (!isConfirming) {
    return (
      <button type="button" onClick={() => setConfirming(true)}>
        Undo this import
      </button>
    );
  }
  const both = `Restore ${formatCountOf(updated, 'plant')} and delete ${formatCount(stored)}`;
  const single =
    updated === 0
      ? `Delete the ${formatCountOf(stored, 'plant')} that it added`
      : `Restore the ${formatCountOf(updated, 'plant')} that it updated`;
  return (
    <>
      <button type="button" className="danger" onClick={() => session.run('undo')}>
        {stored > 0 && updated > 0 ? both : single}
      </button>
      <button type="button" onClick={() => setConfirming(false)}>
        {`Keep ${stored + updated === 1 ? 'it' : 'them'}`}
      </button>
    </>
  );
}

/** Whether something was saved, and the token permits undoing all of it. */
function useCanUndo({ counts: { stored, updated } }: ImportState): boolean {
  const [canUpdate, canDelete] = [useHasScope('update'), useHasScope('delete')];
  return stored + updated > 0 && (stored === 0 || canDelete) && (updated === 0 || canUpdate);
}

function describeProgress(
  { task, state, stopReason, done, restored }: Progress,
  { counts, preview }: ImportState,
) {
  const { stored, updated, replayed, repeated, conflict, retired, rejected, kept, problem, skipped } = counts;
  if (state === 'running') return task === 'undo' ? 'Undoing the import' : 'Saving plants';
  if (state === 'stopped') return stopReason === undefined ? 'Canceled' : 'Interrupted';
  if (task === 'undo') {
    const undone = `Undone: ${listCounts([done - kept - restored, 'deleted'], [restored, 'restored'])}.`;
    if (kept === 0) return undone;
    return `${undone} ${formatCount(kept)} ${kept === 1 ? 'has changed since then and was' : 'have changed since then and were'} kept.`;
  }
  const others = [
    [replayed, 'unchanged'],
    [repeated, 'the same as another line'],
    [conflict, 'changed by someone else after the review'],
    [retired, 'previously deleted'],
    [rejected, 'rejected'],
    [problem + skipped, 'left out'],
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

/** Formats the nonzero counts, such as `2 plants added and 1 updated`. If all are zero, formats only the first one. */
function listCounts(...listed: readonly (readonly [count: number, done: string])[]): string {
  const counted = listed.filter(([count]) => count > 0);
  return (counted.length > 0 ? counted : listed.slice(0, 1))
    .map(
      ([count, done], index) => `${index === 0 ? formatCountOf(count, 'plant') : formatCount(count)} ${done}`,
    )
    .join(' and ');
}
