import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import './line-list.css';
import { type FieldName, fieldNames, labels, type Texts } from '../../shared/fields.js';
import { formatCount } from '../format-count.js';
import {
  type Counts,
  type Filter,
  filters,
  type List,
  listLength,
  type Row,
  type RowState,
} from '../protocol.js';
import type { ImportSession } from '../session/import-session.js';

interface LineListProps {
  readonly session: ImportSession;
  readonly list: List;
  readonly counts: Counts;
}

const filterLabels: Readonly<Record<Filter, string>> = {
  all: 'All',
  problems: 'Problems',
  changed: 'Changed',
  ready: 'New',
  replayed: 'Unchanged',
  retired: 'Deleted before',
  skipped: 'Left out',
};

/** The lines of one kind in pages; those with a problem can be edited, and changed ones can be left out. */
export function LineList({ session, list, counts }: LineListProps) {
  const { filter, offset, total, rows } = list;
  const last = offset + rows.length;
  const lines = useRef<HTMLUListElement>(null);
  useFocusNextProblem(lines, rows);
  const totals: Readonly<Record<Filter, number>> = {
    ...counts,
    all: counts.lines,
    changed: counts.changed + counts.conflicts,
    replayed: counts.replayed + counts.repeated,
  };
  const offered = filters.filter((name) => name === 'all' || name === filter || totals[name] > 0);
  return (
    <section className="import-list" aria-label="Lines">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields */}
      <div className="import-filters" role="group" aria-label="Show">
        {offered.map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={filter === name}
            onClick={() => session.list(name, 0)}
          >
            <span>{filterLabels[name]}</span>{' '}
            <span className={`import-count import-count-${name}`} translate="no">
              {formatCount(totals[name])}
            </span>
          </button>
        ))}
      </div>
      {filter === 'changed' && <p className="import-hint">What is stored now, then what your lines say.</p>}
      {total > listLength && (
        <p className="import-hint">
          {`Lines ${formatCount(Math.min(offset + 1, last))} to ${formatCount(last)} of ${formatCount(total)}`}
        </p>
      )}
      <ul ref={lines} className="import-lines">
        {rows.map((row) => (
          <li key={row.record} className={row.state === 'problem' ? 'import-line-problem' : undefined}>
            {row.editable ? (
              <ProblemLine row={row} texts={row.editable} session={session} />
            ) : (
              <Line row={row} session={session} />
            )}
          </li>
        ))}
      </ul>
      {total > listLength && (
        <p className="import-actions">
          <PageButton disabled={offset === 0} onClick={() => session.list(filter, offset - listLength)}>
            Previous lines
          </PageButton>
          <PageButton disabled={last >= total} onClick={() => session.list(filter, offset + listLength)}>
            Next lines
          </PageButton>
        </p>
      )}
    </section>
  );
}

const states: Readonly<Record<RowState, string>> = {
  ready: 'new',
  changed: 'changed',
  conflict: 'changed by somebody else',
  skipped: 'left out',
  stored: 'added',
  updated: 'updated',
  replayed: 'unchanged',
  repeated: 'same as another line',
  kept: 'changed since',
  problem: 'problem',
};

function Line({ row, session }: { readonly row: Row; readonly session: ImportSession }) {
  const { line, state, problem, before, record } = row;
  const isChanged = state === 'changed' || state === 'conflict';
  return (
    <div className="import-line">
      <span className="import-line-number">{`Line ${formatCount(line)}`}</span>
      {fieldNames.map((name) => (
        <span key={name} className={`import-line-${name}`} dir={directionOf(name)} translate="no">
          {before === undefined || before[name] === row[name] ? (
            row[name]
          ) : (
            <Change before={before[name]} after={row[name]} />
          )}
        </span>
      ))}
      {isChanged || state === 'skipped' ? (
        <button
          type="button"
          className="quiet import-skip"
          aria-label={`${isChanged ? 'Leave out' : 'Include'} line ${formatCount(line)}`}
          onClick={() => session.skip(record, isChanged)}
        >
          <span key={state}>{isChanged ? 'Leave out' : 'Include'}</span>
        </button>
      ) : (
        <span key={state} className="import-line-number">
          {states[state]}
        </span>
      )}
      {state === 'conflict' && (
        <p className="import-reason">Somebody else has changed this plant since you reviewed it.</p>
      )}
      {problem !== undefined && <p className="import-reason">{problem}</p>}
    </div>
  );
}

/** What is stored, then what the line has in its place, with the words marked that differ. */
function Change({ before, after }: { readonly before: string; readonly after: string }) {
  const [start, removed, added, end] = splitChange(before, after);
  return (
    <>
      {before !== '' && (
        <del>
          <span className="visually-hidden" translate="yes">
            Stored:{' '}
          </span>
          {start}
          <mark>{removed}</mark>
          {end}
        </del>
      )}
      <ins>
        <span className="visually-hidden" translate="yes">
          In this line:{' '}
        </span>
        {after === '' ? (
          <i translate="yes">none</i>
        ) : (
          <>
            {start}
            <mark>{added}</mark>
            {end}
          </>
        )}
      </ins>
    </>
  );
}

/** The words that two texts begin with, those in which they differ, and those with which they end. */
function splitChange(
  before: string,
  after: string,
): readonly [start: string, removed: string, added: string, end: string] {
  const [one, other] = [before, after].map((text) => text.split(/(?<=\s)|(?=\s)/)) as [string[], string[]];
  const shorter = Math.min(one.length, other.length);
  let start = 0;
  while (start < shorter && one[start] === other[start]) start++;
  let end = 0;
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end++;
  return [
    one.slice(0, start).join(''),
    one.slice(start, one.length - end).join(''),
    other.slice(start, other.length - end).join(''),
    one.slice(one.length - end).join(''),
  ];
}

const directionOf = (name: FieldName) => (name === 'id' ? 'ltr' : 'auto');

/** A line with a problem, whose fields can be edited. */
function ProblemLine({ row, texts, session }: { row: Row; texts: Texts; session: ImportSession }) {
  // What is not changed stays exact, also where an input cannot show it, such as a line break.
  const [edited, setEdited] = useState(texts);
  const id = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    session.edit(row.record, edited);
  };
  return (
    <form className="import-edit" aria-labelledby={`${id}-line`} onSubmit={submit}>
      <p id={`${id}-line`} className="import-line-number">
        {`Line ${formatCount(row.line)}`}
      </p>
      <p id={`${id}-reason`} className="import-reason">
        {row.problem}
      </p>
      {fieldNames.map((field) => (
        <label key={field} className={`import-edit-${field}`}>
          {labels[field]}
          <input
            name={field}
            dir={directionOf(field)}
            autoComplete="off"
            autoCapitalize="none"
            autoCorrect="off"
            enterKeyHint="done"
            spellCheck={false}
            value={edited[field]}
            aria-invalid={isAbout(row.problem, field)}
            aria-describedby={`${id}-reason`}
            onChange={({ target }) => setEdited({ ...edited, [field]: target.value })}
          />
        </label>
      ))}
      <button type="submit">Check line</button>
    </form>
  );
}

/** Whether a reason names a field first, as those of the contract and "The id 7 belongs to another plant" do. */
function isAbout(reason: string | undefined, field: FieldName): boolean {
  return new RegExp(`(^|; )(the )?${field}\\b`, 'i').test(reason ?? '');
}

/** Where a line has been edited and left, the next one with a problem has the focus. */
function useFocusNextProblem(lines: { readonly current: HTMLElement | null }, rows: readonly Row[]): void {
  const focused = useRef<number | undefined>(undefined);
  useEffect(() => {
    const list = lines.current;
    if (list === null) return;
    const note = ({ target }: FocusEvent) => {
      const items = [...list.children];
      focused.current = items.findIndex((item) => target instanceof Node && item.contains(target));
    };
    list.addEventListener('focusin', note);
    return () => list.removeEventListener('focusin', note);
  }, [lines]);
  useEffect(() => {
    const { activeElement } = document;
    if (focused.current === undefined || (activeElement !== null && activeElement !== document.body)) return;
    const items = [...(lines.current?.children ?? [])].slice(focused.current);
    const next = items.map((item) => item.querySelector('input')).find((input) => input !== null);
    const filter = lines.current?.parentElement?.querySelector<HTMLElement>('[aria-pressed="true"]');
    (next ?? filter)?.focus();
  }, [rows]);
}

/** Stays focusable where it does nothing, so that the focus is not lost on the last page. */
function PageButton(props: { readonly disabled: boolean; readonly children: string; onClick(): void }) {
  const { disabled, children, onClick } = props;
  return (
    <button type="button" aria-disabled={disabled} onClick={() => !disabled && onClick()}>
      {children}
    </button>
  );
}
