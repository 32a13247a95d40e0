import { useId } from 'react';
import { type FieldName, fieldNames, labels, mapFields } from '../../shared/fields.js';
import { listFields, requiredTexts } from '../../shared/texts.js';
import {
  type ColumnChoice,
  type ColumnsPreview,
  type LegacyEncoding,
  legacyEncodings,
  type Preview,
} from '../protocol.js';
import type { ImportSession } from '../session/import-session.js';
import { FileName } from './file-name.js';
import { StepHeading } from './step-heading.js';

interface ChooseColumnsProps {
  readonly session: ImportSession;
  readonly preview: Preview;
  readonly columns: ColumnsPreview;
}

/** Shows each column of the file, what it was recognized as, and lets the person choose. */
export function ChooseColumns({ session, preview, columns }: ChooseColumnsProps) {
  const { choice } = columns;
  const missing = requiredTexts.filter((name) => choice[name] === undefined);
  const isComplete = missing.length === 0;
  const hasFile = preview.fileName !== undefined;
  return (
    <div className="import-step">
      <StepHeading>Columns</StepHeading>
      <p className="import-hint">
        <FileName name={preview.fileName} />
        <span>{`, read as ${preview.format}`}</span>
      </p>
      {preview.notes.map((note) => (
        <p key={note} className="import-note">
          {note}
        </p>
      ))}
      <SourceChoices session={session} preview={preview} />
      <ChooseTitles session={session} columns={columns} />
      <ul className="import-columns">
        {columns.columns.map((described) => (
          <ColumnCard
            key={described.column}
            column={described}
            field={fieldNames.find((field) => choice[field] === described.column)}
            onChoose={(field) => session.chooseColumns(choose(choice, described.column, field))}
          />
        ))}
      </ul>
      <p className="import-note" role="status">
        {!isComplete && `Choose which column is the ${listFields(missing)}.`}
      </p>
      {choice.id === undefined && (
        <p className="import-hint">
          <strong>Generate ids:</strong>{' '}
          <span>
            {`no column is the id, so each line gets one that is made from ${hasFile ? 'the name of the file, ' : ''}the number of the line, and its texts. Importing the same ${hasFile ? 'file' : 'lines'} again stores nothing twice; a line that has changed or moved is another plant.`}
          </span>
        </p>
      )}
      <p className="import-actions">
        <button
          type="button"
          className="primary"
          aria-disabled={!isComplete}
          onClick={() => isComplete && session.check()}
        >
          Review lines
        </button>
        <button type="button" onClick={() => session.reset()}>
          Back to source
        </button>
      </p>
    </div>
  );
}

/** Lets the person choose another sheet, and the encoding where it had to be guessed. */
function SourceChoices({ session, preview: { sheets, encoding } }: Omit<ChooseColumnsProps, 'columns'>) {
  if (encoding === undefined && (sheets === undefined || sheets.names.length === 1)) return undefined;
  return (
    <p className="import-actions">
      {sheets && (
        <label>
          Sheet{' '}
          <select value={sheets.chosen} onChange={({ target }) => session.readAgain({ sheet: target.value })}>
            {sheets.names.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      )}
      {encoding && (
        <label>
          The file is not in Unicode. If names look wrong, read it as{' '}
          <select
            value={encoding}
            onChange={({ target }) => session.readAgain({ encoding: target.value as LegacyEncoding })}
          >
            {Object.entries(legacyEncodings).map(([name, label]) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </select>
        </label>
      )}
    </p>
  );
}

/** Shows the first lines, and lets the person choose the one with the titles by a click on it. */
function ChooseTitles({ session, columns: { header, firstRows } }: Omit<ChooseColumnsProps, 'preview'>) {
  const name = useId();
  const rows = [...firstRows, { record: undefined, line: undefined, cells: [] }];
  return (
    <fieldset className="import-titles">
      <legend>Which line has the titles?</legend>
      {rows.map(({ record, line, cells }) => (
        <label key={record ?? 'none'}>
          <input
            type="radio"
            name={name}
            checked={header === record}
            onChange={() => session.recognize(record)}
          />
          <span className="import-line-number">
            {line === undefined ? 'None: all lines are plants' : `Line ${line}`}
          </span>
          {cells.map((cell, index) => (
            <span key={index} dir="auto">
              {cell}
            </span>
          ))}
        </label>
      ))}
    </fieldset>
  );
}

interface ColumnCardProps {
  readonly column: ColumnsPreview['columns'][number];
  readonly field: FieldName | undefined;
  onChoose(field: FieldName | undefined): void;
}

function ColumnCard({ column: { title, samples }, field, onChoose }: ColumnCardProps) {
  const id = useId();
  return (
    <li className={field === undefined ? 'import-column import-column-unused' : 'import-column'}>
      <h3 id={`${id}-title`} dir="auto" translate="no">
        {title}
      </h3>
      <ul aria-label={`Samples of ${title}`}>
        {samples.map((sample, index) => (
          <li key={index} dir="auto" translate="no">
            {sample}
          </li>
        ))}
        {samples.length === 0 && <li>Empty</li>}
      </ul>
      <label id={`${id}-label`} htmlFor={`${id}-select`}>
        Import as
      </label>
      <select
        id={`${id}-select`}
        aria-labelledby={`${id}-title ${id}-label`}
        value={field ?? ''}
        onChange={({ target }) => onChoose(fieldNames.find((name) => name === target.value))}
      >
        {fieldNames.map((name) => (
          <option key={name} value={name}>
            {labels[name]}
          </option>
        ))}
        <option value="">Not imported</option>
      </select>
    </li>
  );
}

/** The choice with a column as a field, which no other column is then. */
function choose(choice: ColumnChoice, column: number, field: FieldName | undefined): ColumnChoice {
  return mapFields((name) => {
    if (name === field) return column;
    return choice[name] === column ? undefined : choice[name];
  });
}
