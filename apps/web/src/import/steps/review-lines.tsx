import { useState } from 'react';
import { SavedFileLink } from '../../shared/saved-file-link.js';
import { useMay } from '../../shared/use-scopes.js';
import { formatCount, formatCountOf } from '../format-count.js';
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

/** Shows what would be added and updated before anything is sent, and lets the person edit lines with a problem. */
export function ReviewLines({ session, state }: ReviewLinesProps) {
  const { counts, preview, progress, notes, list, uncompared, hasUndone } = state;
  const { ready, changed, problems, retired, skipped, duplicates } = counts;
  const canUpdate = useMay('update');
  // Deleted plants stay deleted unless the person wants them back, such as those of an import that was undone.
  const [reuses, setReuses] = useState(hasUndone);
  const isSame = uncompared === undefined && ready + changed + problems + retired + skipped === 0;
  return (
    <div className="import-step">
      <StepHeading>{progress === undefined ? 'Review before anything is saved' : 'Review'}</StepHeading>
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
      {uncompared !== undefined && (
        <>
          <p className="import-note">
            {`These lines were not compared with what is stored. ${uncompared.message} Plants that are stored already stay as they are.`}
          </p>
          <button type="button" onClick={() => session.compare()}>
            Compare again
          </button>
        </>
      )}
      {changed > 0 && !canUpdate && (
        <p className="import-note">You may not edit plants, so changed ones stay as they are stored.</p>
      )}
      {isSame && progress === undefined && <p>Everything in these lines is stored already.</p>}
      {retired > 0 && canUpdate && (
        <label className="import-check">
          <input type="checkbox" checked={reuses} onChange={({ target }) => setReuses(target.checked)} />
          {`Add ${formatCountOf(retired, 'plant')} again that ${retired === 1 ? 'was' : 'were'} deleted before`}
        </label>
      )}
      <p className="import-actions">
        <SendButton session={session} state={state} reuses={reuses && canUpdate} />
        {problems + retired > 0 && <DownloadButton session={session} state={state} />}
        {progress !== undefined ? (
          <button type="button" onClick={() => session.backToOutcome()}>
            Back to the outcome
          </button>
        ) : preview?.columns ? (
          <button type="button" onClick={() => session.backToColumns()}>
            Back to columns
          </button>
        ) : undefined}
        {progress === undefined && (isSame || !preview?.columns) && (
          <StartOver session={session} state={state} />
        )}
      </p>
      {progress === undefined && <Fixes session={session} state={state} />}
      {list && <LineList session={session} list={list} counts={counts} />}
    </div>
  );
}

interface SendButtonProps extends ReviewLinesProps {
  /** Whether plants that were deleted before are added again. */
  readonly reuses: boolean;
}

/** Adds and updates what is ready, if anything is. */
export function SendButton({ session, state: { counts }, reuses }: SendButtonProps) {
  const canUpdate = useMay('update');
  const added = counts.ready + (reuses ? counts.retired : 0);
  const updated = canUpdate ? counts.changed : 0;
  if (added + updated === 0) return undefined;
  const add = formatCountOf(added, 'plant');
  const label =
    updated === 0
      ? `Add ${add}`
      : added === 0
        ? `Update ${formatCountOf(updated, 'plant')}`
        : `Update ${formatCount(updated)} and add ${add}`;
  return (
    <button type="button" className="primary" onClick={() => session.run(reuses ? 'reuse' : 'add')}>
      <span key={label}>{label}</span>
    </button>
  );
}

/** What a fix does, and what it has done. */
const fixTexts: Readonly<
  Record<Fix, readonly [offer: (lines: string) => string, done: (lines: string) => string]>
> = {
  tidy: [(texts) => `Tidy ${texts}`, (texts) => `${texts} tidied.`],
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
    (lines) => `Choose new ids for ${lines} whose id cannot be read`,
    (lines) => `New ids are chosen for ${lines}.`,
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
        const noun = fix === 'tidy' ? 'text' : 'line';
        return (
          <p key={fix}>
            {count !== undefined && <span>{done(formatCountOf(count, noun))} </span>}
            <button type="button" onClick={() => session.fix(fix)}>
              {count === undefined ? offer(formatCountOf(counts.fixable[fix], noun)) : 'Take that back'}
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
        {`Download ${formatCountOf(counts.problems + counts.retired, 'line')}`}
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
