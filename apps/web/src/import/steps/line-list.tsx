import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import './line-list.css';
import { type FieldName, fieldNames, labels, type Texts } from '../../shared/fields.js';
import { formatCount } from '../format-count.js';
import { type Counts, type Filter, type List, listLength, type Row } from '../protocol.js';
import type { ImportSession } from '../session/import-session.js';

interface LineListProps {
  readonly session: ImportSession;
  readonly list: List;
  readonly counts: Counts;
}

/** The lines in pages: all, those that can be sent, or those with a problem, which can be edited. */
export function LineList({ session, list, counts }: LineListProps) {
  const { filter, offset, total, rows } = list;
  const last = offset + rows.length;
  const lines = useRef<HTMLUListElement>(null);
  useFocusNextProblem(lines, rows);
  const filters: readonly (readonly [Filter, string, number])[] = [
    ['all', 'All', counts.lines],
    ['ready', 'Ready', counts.ready],
    ['problems', 'Problems', counts.problems],
  ];
  return (
    <section className="import-list" aria-label="Lines">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields */}
      <div className="import-actions" role="group" aria-label="Show">
        {filters.map(([name, label, count]) => (
          <button
            key={name}
            type="button"
            aria-pressed={filter === name}
            onClick={() => session.list(name, 0)}
          >
            {`${label} (${formatCount(count)})`}
          </button>
        ))}
      </div>
      <p className="import-hint">
        {`Lines ${formatCount(Math.min(offset + 1, last))} to ${formatCount(last)} of ${formatCount(total)}`}
      </p>
      <ul ref={lines} className="import-lines">
        {rows.map((row) => (
          <li key={row.record} className={row.state === 'problem' ? 'import-line-problem' : undefined}>
            {row.editable ? (
              <ProblemLine row={row} texts={row.editable} session={session} />
            ) : (
              <Line row={row} />
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

const states = {
  ready: 'ready',
  stored: 'added',
  replayed: 'was there already',
  repeated: 'same as another line',
  problem: 'problem',
} as const;

function Line({ row }: { readonly row: Row }) {
  const { line, state, problem } = row;
  return (
    <div className="import-line">
      <span className="import-line-number">{`Line ${formatCount(line)}`}</span>
      {fieldNames.map((name) => (
        <span key={name} className={`import-line-${name}`} dir={directionOf(name)} translate="no">
          {row[name]}
        </span>
      ))}
      <span className="import-line-number">{states[state]}</span>
      {problem !== undefined && <p className="import-reason">{problem}</p>}
    </div>
  );
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
