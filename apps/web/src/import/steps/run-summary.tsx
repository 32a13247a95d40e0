import type { Preview, Progress } from '../protocol.js';
import { formatCountOf } from '../session/format-progress.js';
import type { ImportSession } from '../session/import-session.js';
import type { ImportState } from '../session/import-state.js';
import { LineList } from './line-list.js';
import { Total } from './run-plants.js';
import { isPasted, StartOver } from './start-over.js';
import { StepHeading } from './step-heading.js';

interface RunSummaryProps {
  readonly session: ImportSession;
  readonly state: ImportState;
  readonly preview: Preview;
  readonly progress: Progress;
}

/** Shows the outcome of a run, and offers the rejected lines. */
export function RunSummary({ session, state, preview, progress }: RunSummaryProps) {
  const { stored, replayed, rejected, open } = progress;
  const problems = preview.faulty + rejected;
  return (
    <div className="import-step">
      <StepHeading>Summary</StepHeading>
      <dl className="import-totals">
        <Total title="Stored" count={stored} />
        <Total title="Was there already" count={replayed} />
        <Total title="Rejected" count={problems} bad />
        {open > 0 && <Total title="Not confirmed or not sent" count={open} bad />}
      </dl>
      {rejected > 0 && preview.faulty > 0 && (
        <p className="import-hint">
          {formatCountOf(preview.faulty, 'faulty line')} and {formatCountOf(rejected, 'plant')} that the
          service rejected.
        </p>
      )}
      {open > 0 && (
        <p className="import-note">
          The run was cancelled. {isPasted(preview) ? 'Preview the same lines' : 'Choose the same file'} again
          to add the rest: nothing is stored twice.
        </p>
      )}
      <p className="import-actions">
        {problems > 0 && (
          <button
            type="button"
            className="primary"
            aria-disabled={state.downloading}
            onClick={() => session.download()}
          >
            Download rejected lines
          </button>
        )}
        <StartOver session={session} state={state} preview={preview} />
      </p>
      {problems > 0 && state.list && (
        <LineList list={state.list} faulty={problems} onList={(...page) => session.list(...page)} />
      )}
    </div>
  );
}
