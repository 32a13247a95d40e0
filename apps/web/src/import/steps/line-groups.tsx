import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import './line-groups.css';
import { PlantText } from '../../plants/plant-text.js';
import { type FieldName, labels, textNames } from '../../shared/fields.js';
import { Icon } from '../../shared/icon.js';
import { SavedFileLink } from '../../shared/saved-file.js';
import { TextChange } from '../../shared/text-change.js';
import { useHasScope } from '../../shared/use-scopes.js';
import { formatCount, formatCountOf } from '../format-count.js';
import {
  type Change,
  type Filter,
  filters,
  type Group,
  groupByState,
  type LineState,
  type Row,
  rowsPerPage,
  type View,
} from '../protocol.js';
import type { StepProps } from './step-frame.js';

const titles: Readonly<Record<Filter, string>> = {
  all: 'All',
  problems: 'Problems',
  changes: 'Changed',
  new: 'New',
  saved: 'Saved',
  unchanged: 'Unchanged',
  'left-out': 'Left out',
  'same-name': 'Same name',
};

const hints: Readonly<Partial<Record<Group, string>>> = {
  problems: 'Fix them here. Your file is not changed.',
  changes: 'Each line shows the saved plant, then your version.',
  unchanged: 'These lines do not change anything.',
  'left-out': 'These lines will not be saved.',
};

/** Lists the lines in groups. Lines with a problem can be edited, and lines to be saved can be left out. */
export function LineGroups({ session, state }: StepProps) {
  const { list, filter, counts } = state;
  const section = useRef<HTMLElement>(null);
  const changedLine = useFocusNextProblem(section, list);
  const change = (row: Row, request: Change) => {
    changedLine.current = row.line;
    session.send('change', request);
  };
  return (
    <section ref={section} className="import-list" aria-label="Lines">
      {/* biome-ignore lint/a11y/useSemanticElements: these are filter buttons, not form fields */}
      <div className="import-filters" role="group" aria-label="Show">
        {filters
          .filter((name) => name === 'all' || name === filter || counts[name] > 0)
          .map((name) => (
            <button
              key={name}
              type="button"
              aria-pressed={filter === name}
              onClick={() => session.send('change', ['show', name])}
            >
              <span>{titles[name]}</span> <Badge kind={name} count={counts[name]} />
            </button>
          ))}
      </div>
      {list.map(({ group, total, rows }) => (
        <section key={group} className="import-group" aria-label={titles[group]}>
          <div className="import-group-head">
            <h2>{titles[group]}</h2>
            <Badge kind={group} count={total} />
            <span className="import-hint">{hints[group]}</span>
            {group === 'problems' && <DownloadButton session={session} state={state} />}
          </div>
          <ul className="import-lines">
            {rows.map((row) => (
              <li key={row.index} className={group === 'problems' ? 'import-line-problem' : undefined}>
                {row.editing ? (
                  <ProblemLine row={row} editing={row.editing} onChange={change} />
                ) : (
                  <Line row={row} onChange={change} />
                )}
              </li>
            ))}
          </ul>
          {total > rows.length && (
            <button
              type="button"
              className="quiet import-more"
              onClick={() => session.send('change', ['showMore', group])}
            >
              <Icon name="down" />
              <span>{`Show ${formatCount(Math.min(rowsPerPage, total - rows.length))} more`}</span>
            </button>
          )}
        </section>
      ))}
    </section>
  );
}

/** A button that adds and updates plants. Renders nothing if there are none to save. */
export function SendButton({ session, state: { counts, hasUndone } }: StepProps) {
  const canUpdate = useHasScope('update');
  const updated = canUpdate ? counts.changes : 0;
  const added = counts.ready;
  if (added + updated === 0) return undefined;
  const add = formatCountOf(added, 'plant');
  const update = formatCountOf(updated, 'plant');
  const both = `Update ${formatCount(updated)} and add ${add}`;
  const label = updated === 0 ? `Add ${add}` : added === 0 ? `Update ${update}` : both;
  return (
    <button
      type="button"
      className="primary"
      onClick={() => session.run(hasUndone && canUpdate ? 'reuse' : 'add')}
    >
      <span key={label}>{label}</span>
    </button>
  );
}

function DownloadButton({ session, state: { downloading, saved } }: StepProps) {
  return (
    <>
      <button type="button" className="quiet" aria-disabled={downloading} onClick={() => session.download()}>
        <Icon name="download" />
        <span>Download these lines</span>
      </button>
      {saved !== undefined && <SavedFileLink file={saved} />}
    </>
  );
}

/** A button that returns to the first step. Pasted lines stay, unless all of them are stored. */
export function StartOver({ session, state: { preview } }: StepProps) {
  return (
    <button type="button" onClick={() => session.reset()}>
      {preview?.fileName === undefined ? 'Import other lines' : 'Import another file'}
    </button>
  );
}

function Badge({ kind, count }: { readonly kind: Filter; readonly count: number }) {
  return (
    <span className={`import-badge import-badge-${kind}`} translate="no">
      {formatCount(count)}
    </span>
  );
}

/** The labels of the states that a line's group does not imply. */
const stateLabels: Readonly<Partial<Record<LineState, string>>> = {
  stored: 'Added',
  updated: 'Updated',
  repeated: 'Same as another line',
  kept: 'Changed since',
};

/** The fields in the order of the list's columns. */
const shownFields: readonly FieldName[] = [...textNames, 'id'];

interface LineProps {
  readonly row: Row;
  onChange(row: Row, request: Change): void;
}

function Line({ row, onChange }: LineProps) {
  const { line, state, problem, before, warning } = row;
  const isOpen = ['problems', 'changes', 'new'].includes(groupByState[state]);
  return (
    <div className="import-line">
      <span className="import-where">{`Line ${formatCount(line)}`}</span>
      {shownFields.map((name) => (
        <span key={name} className={`import-line-${name}`} dir={directionOf(name)} translate="no">
          {before !== undefined && before[name] !== row[name] ? (
            <TextChange labels={['Saved:', 'In this line:']} before={before[name]} after={row[name]} />
          ) : name !== 'id' ? (
            <PlantText plant={row} name={name} />
          ) : (
            row.id || <span translate="yes">Automatic ID</span>
          )}
        </span>
      ))}
      {isOpen || state === 'skipped' ? (
        <button
          type="button"
          className="quiet import-action"
          aria-label={`${isOpen ? 'Leave out' : 'Include'} line ${formatCount(line)}`}
          onClick={() => onChange(row, isOpen ? ['leaveOut', row.index] : ['include', [row.index]])}
        >
          <span key={state}>{isOpen ? 'Leave out' : 'Include'}</span>
        </button>
      ) : (
        <span key={state} className="import-action">
          {stateLabels[state]}
        </span>
      )}
      {state === 'conflict' && (
        <p className="import-reason">
          <Icon name="warning" />
          Someone else changed this plant after you reviewed it.
        </p>
      )}
      {problem !== undefined && (
        <p className="import-reason">
          <Icon name="warning" />
          <span>{problem}</span>
        </p>
      )}
      {warning !== undefined && <p className="import-warning">{warning}</p>}
    </div>
  );
}

const directionOf = (name: FieldName) => (name === 'id' ? 'ltr' : 'auto');

interface ProblemLineProps extends LineProps {
  readonly editing: NonNullable<Row['editing']>;
}

/** A line with a problem, whose fields can be edited. */
function ProblemLine({ row, editing: { texts, wrong, freeId }, onChange }: ProblemLineProps) {
  // An <input> drops line breaks, so a field that was not edited must keep its original text.
  const [edited, setEdited] = useState(texts);
  const original = JSON.stringify(texts);
  useEffect(() => setEdited(texts), [original]);
  const id = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onChange(row, ['edit', row.index, edited]);
  };
  return (
    <form className="import-line" aria-labelledby={`${id}-line`} data-line={row.line} onSubmit={submit}>
      <span id={`${id}-line`} className="import-where">{`Line ${formatCount(row.line)}`}</span>
      {shownFields.map((field) => (
        <input
          key={field}
          className={`import-line-${field}`}
          name={field}
          aria-label={labels[field]}
          placeholder={labels[field]}
          dir={directionOf(field)}
          autoComplete="off"
          autoCapitalize="none"
          autoCorrect="off"
          enterKeyHint="done"
          spellCheck={false}
          value={edited[field]}
          aria-invalid={wrong.includes(field)}
          aria-describedby={`${id}-reason`}
          onChange={({ target }) => setEdited({ ...edited, [field]: target.value })}
        />
      ))}
      <button
        type="button"
        className="quiet import-action"
        onClick={() => onChange(row, ['leaveOut', row.index])}
      >
        Leave out
      </button>
      <p className="import-reason">
        <Icon name="warning" />
        <span id={`${id}-reason`}>{row.problem}</span>
        {freeId !== undefined && (
          <button
            type="button"
            className="quiet link"
            onClick={() => onChange(row, ['edit', row.index, { ...edited, id: freeId }])}
          >
            Choose an available ID
          </button>
        )}
        <button type="submit" hidden={JSON.stringify(edited) === original}>
          Check line
        </button>
      </p>
    </form>
  );
}

/** Moves the focus to the next line with a problem when a changed one disappears. Set the returned ref to the changed line's number. */
function useFocusNextProblem(section: { readonly current: HTMLElement | null }, list: View['list']) {
  const changedLine = useRef<number | undefined>(undefined);
  useEffect(() => {
    const { activeElement } = document;
    const { current: line } = changedLine;
    if (line === undefined || (activeElement !== null && activeElement !== document.body)) return;
    const forms = [...(section.current?.querySelectorAll('form') ?? [])];
    const next = forms.find((form) => Number(form.dataset['line']) >= line);
    const filter = section.current?.querySelector<HTMLElement>('[aria-pressed="true"]');
    const input = next?.querySelector<HTMLElement>('[aria-invalid="true"]') ?? next?.querySelector('input');
    (input ?? filter)?.focus();
  }, [list, section]);
  return changedLine;
}
