import { SavedFileLink } from '../../shared/saved-file-link.js';
import { formatCountOf } from '../format-count.js';
import type { ImportSession } from '../session/import-session.js';
import type { ImportState } from '../session/import-state.js';
import { FileName } from './file-name.js';
import { LineList } from './line-list.js';
import { StepHeading } from './step-heading.js';

interface ReviewLinesProps {
  readonly session: ImportSession;
  readonly state: ImportState;
}

/** Shows the lines before they are sent, and lets the person correct those with a problem. */
export function ReviewLines({ session, state }: ReviewLinesProps) {
  const { counts, preview, progress, notes, list } = state;
  const { ready, problems, duplicates } = counts;
  return (
    <div className="import-step">
      <StepHeading>Review</StepHeading>
      <p className="import-hint">
        <FileName name={preview?.fileName} />
        <span>{`, read as ${preview?.format}`}</span>
      </p>
      {[...(preview?.columns ? [] : (preview?.notes ?? [])), ...notes].map((note) => (
        <p key={note} className="import-note">
          {note}
        </p>
      ))}
      {duplicates > 0 && (
        <p className="import-hint">
          {`${formatCountOf(duplicates, 'line')} with the same plant as an earlier line: it is stored once.`}
        </p>
      )}
      <p className="import-actions">
        {ready > 0 && (
          <button type="button" className="primary" onClick={() => session.run()}>
            {`Add ${formatCountOf(ready, 'plant')}`}
          </button>
        )}
        {problems > 0 && <DownloadButton session={session} state={state} />}
        {preview?.columns && progress === undefined ? (
          <button type="button" onClick={() => session.backToColumns()}>
            Back to columns
          </button>
        ) : (
          <StartOver session={session} state={state} />
        )}
      </p>
      {list && <LineList session={session} list={list} counts={counts} />}
    </div>
  );
}

/** Downloads the lines with a problem. */
export function DownloadButton({ session, state: { counts, downloading, saved } }: ReviewLinesProps) {
  return (
    <>
      <button type="button" aria-disabled={downloading} onClick={() => session.download()}>
        {`Download ${formatCountOf(counts.problems, 'line')}`}
      </button>
      {saved !== undefined && <SavedFileLink file={saved} />}
    </>
  );
}

/** Leads back to where plants are chosen; pasted lines are still there, unless all of them are stored. */
export function StartOver({ session, state: { preview } }: ReviewLinesProps) {
  return (
    <button type="button" onClick={() => session.reset()}>
      {preview?.fileName === undefined ? 'Back to source' : 'Import another file'}
    </button>
  );
}
