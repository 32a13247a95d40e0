import { formatCount } from '../format-count.js';
import type { Preview } from '../protocol.js';
import { formatCountOf } from '../session/format-progress.js';
import type { ImportSession } from '../session/import-session.js';
import type { ImportState } from '../session/import-state.js';
import { ChooseColumns } from './choose-columns.js';
import { LineList } from './line-list.js';
import { StartOver } from './start-over.js';
import { StepHeading } from './step-heading.js';

interface PreviewPlantsProps {
  readonly session: ImportSession;
  readonly state: ImportState;
  readonly preview: Preview;
  readonly token: string;
}

/** Shows what was read before anything is sent. */
export function PreviewPlants({ session, state, preview, token }: PreviewPlantsProps) {
  const { columns, plants, faulty } = preview;
  const busy = state.busy !== undefined;
  return (
    <div className="import-step">
      <StepHeading>Preview</StepHeading>
      <PreviewTotals preview={preview} />
      {preview.notes.map((note) => (
        <p key={note} className="import-note">
          {note}
        </p>
      ))}
      {columns && (
        <ChooseColumns
          columns={columns}
          busy={busy}
          onChoose={(hasHeader, choice) => session.choose({ hasHeader, columns: choice })}
        />
      )}
      {columns && (
        <progress
          className={busy ? 'import-progress' : 'import-progress import-idle'}
          value={state.busy?.fraction ?? 0}
          max={1}
          aria-label="Checking the plants"
          aria-hidden={!busy}
        />
      )}
      <p className="import-actions">
        {plants > 0 && (
          <button
            type="button"
            className="primary"
            aria-disabled={busy}
            onClick={() => !busy && session.start(token)}
          >
            Add {formatCountOf(plants, 'plant')}
          </button>
        )}
        {faulty > 0 && (
          <button
            type="button"
            aria-disabled={busy || state.downloading}
            onClick={() => !busy && session.download()}
          >
            Download faulty lines
          </button>
        )}
        <StartOver session={session} state={state} preview={preview} />
      </p>
      {state.list && (
        <LineList list={state.list} faulty={faulty} busy={busy} onList={(...page) => session.list(...page)} />
      )}
    </div>
  );
}

function PreviewTotals({ preview }: { readonly preview: Preview }) {
  const { fileName, format, plants, faulty, duplicates } = preview;
  return (
    <>
      <p className="import-hint">
        {fileName ?? 'Pasted lines'}, read as {format}
      </p>
      <dl className="import-totals">
        <div>
          <dt>Plants</dt>
          <dd>{formatCount(plants)}</dd>
        </div>
        <div>
          <dt>Faulty lines</dt>
          <dd className={faulty > 0 ? 'import-bad' : undefined}>{formatCount(faulty)}</dd>
        </div>
      </dl>
      {duplicates > 0 && (
        <p className="import-hint">
          {formatCountOf(duplicates, 'line')} of these have the same plant as an earlier line: it is stored
          once.
        </p>
      )}
    </>
  );
}
