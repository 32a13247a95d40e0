import { useState } from 'react';
import { SavedFileLink } from '../../shared/saved-file-link.js';
import { formatCountOf } from '../format-count.js';
import { type Fix, fixes } from '../protocol.js';
import type { ImportSession } from '../session/import-session.js';
import type { ImportState } from '../session/import-state.js';
import { FileName } from './file-name.js';
import { LineList } from './line-list.js';
import { StepHeading } from './step-heading.js';

interface ReviewLinesProps {
  readonly session: ImportSession;
  readonly state: ImportState;
}

/** Shows the lines before they are sent, and lets the person edit those with a problem. */
export function ReviewLines({ session, state }: ReviewLinesProps) {
  const { counts, preview, progress, notes, list } = state;
  const { ready, problems, duplicates } = counts;
  const { hasUndone } = state;
  const [reuses, setReuses] = useState(true);
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
      {hasUndone && ready > 0 && (
        <label className="import-check">
          <input type="checkbox" checked={reuses} onChange={({ target }) => setReuses(target.checked)} />
          Use the ids of deleted plants again, as of the import that was undone
        </label>
      )}
      <p className="import-actions">
        {ready > 0 && (
          <button
            type="button"
            className="primary"
            onClick={() => session.run(hasUndone && reuses ? 'reuse' : 'add')}
          >
            {`Add ${formatCountOf(ready, 'plant')}`}
          </button>
        )}
        {problems > 0 && <DownloadButton session={session} state={state} />}
        {progress !== undefined ? (
          <button type="button" onClick={() => session.backToOutcome()}>
            Back to the outcome
          </button>
        ) : preview?.columns ? (
          <button type="button" onClick={() => session.backToColumns()}>
            Back to columns
          </button>
        ) : (
          <StartOver session={session} state={state} />
        )}
      </p>
      {progress === undefined && <Fixes session={session} state={state} />}
      {list && <LineList session={session} list={list} counts={counts} />}
    </div>
  );
}

/** What a fix does, and what it has done. */
const fixTexts: Readonly<
  Record<Fix, readonly [offer: (lines: string) => string, done: (lines: string) => string]>
> = {
  generate: [(lines) => `Generate the missing id of ${lines}`, (lines) => `An id is generated for ${lines}.`],
  separators: [
    (lines) => `Read ids such as 1.001 as 1001 in ${lines}`,
    (lines) => `Ids such as 1.001 are read as 1001 in ${lines}.`,
  ],
  decimals: [
    (lines) => `Read ids such as 7.0 as 7 in ${lines}`,
    (lines) => `Ids such as 7.0 are read as 7 in ${lines}.`,
  ],
  replace: [
    (lines) => `Replace the id of ${lines}, which cannot be read, by another`,
    (lines) => `The id of ${lines} is replaced by another.`,
  ],
};

/** Lets the person fix all ids of a kind at once, and take that back. */
function Fixes({ session, state: { counts, fixed } }: ReviewLinesProps) {
  const offered = fixes.filter((fix) => fixed.has(fix) || counts.fixable[fix] > 0);
  if (offered.length === 0) return undefined;
  return (
    <div className="import-actions">
      {offered.map((fix) => {
        const [offer, done] = fixTexts[fix];
        const count = fixed.get(fix);
        return (
          <p key={fix}>
            {count !== undefined && <span>{done(formatCountOf(count, 'line'))} </span>}
            <button type="button" onClick={() => session.fix(fix)}>
              {count === undefined ? offer(formatCountOf(counts.fixable[fix], 'line')) : 'Take that back'}
            </button>
          </p>
        );
      })}
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
