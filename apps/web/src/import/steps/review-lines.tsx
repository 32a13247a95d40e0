import { useHasScope } from '../../shared/use-scopes.js';
import { formatCount, formatCountOf } from '../format-count.js';
import { type Fix, fixes, type Preview } from '../protocol.js';
import { LineGroups, SendButton, StartOver } from './line-groups.js';
import { Notes, SourceName, StepFrame, type StepProps } from './step-frame.js';

/** Shows what would be added and updated before anything is sent, and lets the person edit lines with a problem. */
export function ReviewLines({ session, state }: StepProps) {
  const { counts, preview, notes, totals, comparisonFailure, hasUndone } = state;
  const { all, ready, changed, problems, skipped, repeated } = counts;
  const canUpdate = useHasScope('update');
  const isAllSaved = comparisonFailure === undefined && ready + changed + problems + skipped === 0;
  const actions = (
    <>
      <button
        type="button"
        onClick={() => (preview?.columns ? session.change({ step: 'columns' }) : session.reset())}
      >
        Back
      </button>
      <SendButton session={session} state={state} />
      {isAllSaved && <StartOver session={session} state={state} />}
    </>
  );
  const lead = (
    <>
      <SourceName preview={preview} />
      <span>{`, ${formatCountOf(all, 'line')}.`}</span>
      {problems > 0 && (
        <span>{` ${formatCount(problems)} ${problems === 1 ? 'has a problem and is left out until you fix it' : 'have a problem and are left out until you fix them'}.`}</span>
      )}
    </>
  );
  return (
    <StepFrame step="Review" title="Review before anything is saved" lead={lead} actions={actions}>
      <Notes notes={[...(preview?.columns ? [] : (preview?.notes ?? [])), ...notes]} />
      <NotImported columns={preview?.columns} />
      {totals.length > 0 && (
        <p className="import-note">
          <span>{`${nameLines(totals.map(({ line }) => line))} and ${totals.length === 1 ? 'is' : 'are'} left out.`}</span>{' '}
          <button
            type="button"
            className="quiet"
            onClick={() => session.send('change', ['include', totals.map(({ index }) => index)])}
          >
            {totals.length === 1 ? 'Include this line' : 'Include these lines'}
          </button>
        </p>
      )}
      {repeated > 0 && (
        <p className="import-hint">
          {`${formatCountOf(repeated, 'line')} ${repeated === 1 ? 'repeats' : 'repeat'} an earlier line. Each plant is saved once.`}
        </p>
      )}
      {comparisonFailure !== undefined && (
        <p className="import-note">
          <span>{`These lines could not be compared with the saved plants. ${comparisonFailure.message} Plants that are already saved will not be changed.`}</span>{' '}
          <button type="button" onClick={() => session.send('compare')}>
            Compare again
          </button>
        </p>
      )}
      {changed > 0 && !canUpdate && (
        <p className="import-note">
          You do not have permission to edit plants, so changes to existing plants will not be saved.
        </p>
      )}
      {isAllSaved && <p>Everything in these lines is already saved.</p>}
      {hasUndone && ready > 0 && canUpdate && <p>Previously deleted plants will be added again.</p>}
      <Fixes session={session} state={state} />
      <LineGroups session={session} state={state} />
    </StepFrame>
  );
}

/** The maximum number of columns that are listed by name. */
const maxNamedColumns = 10;

/** Lists the columns that are not imported, because the person may not have seen the step that chooses columns. */
function NotImported({ columns }: Pick<Preview, 'columns'>) {
  const imported = Object.values(columns?.choice ?? {});
  const others = columns?.columns.filter(({ column }) => !imported.includes(column)) ?? [];
  if (others.length === 0) return undefined;
  const named = others.slice(0, maxNamedColumns).map(({ title }) => title);
  const more = others.length - named.length;
  return (
    <p className="import-hint">
      <span>Not imported:</span> <bdi translate="no">{named.join(', ')}</bdi>
      <span>{more > 0 ? `, and ${formatCount(more)} more.` : '.'}</span>
    </p>
  );
}

/** The maximum number of lines that are listed by number. */
const maxNamedLines = 5;

/** Returns, for example, `Line 316 looks like a total`. */
function nameLines(lines: readonly number[]): string {
  const [first = 0] = lines;
  if (lines.length === 1) return `Line ${formatCount(first)} looks like a total`;
  const named = new Intl.ListFormat('en').format(lines.slice(0, maxNamedLines).map(formatCount));
  return lines.length > maxNamedLines
    ? `${formatCount(lines.length)} lines look like totals`
    : `Lines ${named} look like totals`;
}

/** For each fix, the button that offers it, and the sentence to show once it is applied. */
const fixTexts: Readonly<
  Record<Fix, readonly [offer: (lines: string) => string, done: (lines: string) => string]>
> = {
  tidy: [(values) => `Clean up ${values}`, (values) => `${values} cleaned up.`],
  generate: [
    (lines) => `Generate IDs for ${lines} without one`,
    (lines) => `IDs were generated for ${lines}.`,
  ],
  separators: [
    (lines) => `Read IDs such as 1.001 as 1001 in ${lines}`,
    (lines) => `IDs such as 1.001 are read as 1001 in ${lines}.`,
  ],
  decimals: [
    (lines) => `Read IDs such as 7.0 as 7 in ${lines}`,
    (lines) => `IDs such as 7.0 are read as 7 in ${lines}.`,
  ],
  replace: [
    (lines) => `Generate new IDs for ${lines} with an unreadable ID`,
    (lines) => `New IDs were generated for ${lines}.`,
  ],
};

/** Shows the fixes that apply to all lines at once and can be undone. */
function Fixes({ session, state: { fixable, fixed } }: StepProps) {
  const offered = fixes.filter((fix) => fixed.has(fix) || fixable[fix] > 0);
  if (offered.length === 0) return undefined;
  return (
    <div className="import-actions">
      {offered.map((fix) => {
        const [offer, done] = fixTexts[fix];
        const count = fixed.get(fix);
        const noun = fix === 'tidy' ? 'value' : 'line';
        return (
          <p key={fix}>
            {count !== undefined && <span>{done(formatCountOf(count, noun))} </span>}
            <button type="button" onClick={() => session.send('change', ['toggleFix', fix])}>
              {count === undefined ? offer(formatCountOf(fixable[fix], noun)) : 'Undo this fix'}
            </button>
          </p>
        );
      })}
    </div>
  );
}
