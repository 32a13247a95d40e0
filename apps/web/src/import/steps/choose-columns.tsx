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
import { Notes, SourceName, StepFrame } from './step-frame.js';

interface ChooseColumnsProps {
  readonly session: ImportSession;
  readonly preview: Preview;
  readonly columns: ColumnsPreview;
}

/** Shows each column of the source with its recognized field. The person can choose another field. */
export function ChooseColumns({ session, preview, columns }: ChooseColumnsProps) {
  const { choice, header, firstRows } = columns;
  const { sheets, encoding } = preview;
  const missing = requiredTexts.filter((name) => choice[name] === undefined);
  const isComplete = missing.length === 0;
  const source = preview.fileName === undefined ? 'lines' : 'file';
  const actions = (
    <>
      <button type="button" onClick={() => session.reset()}>
        Back
      </button>
      <button
        type="button"
        className="primary"
        aria-disabled={!isComplete}
        onClick={() => isComplete && session.check(columns)}
      >
        Review lines
      </button>
    </>
  );
  return (
    <StepFrame
      step="Columns"
      title="Check the columns"
      lead={<SourceName preview={preview} />}
      actions={actions}
    >
      <Notes notes={preview.notes} />
      <div className="import-actions">
        {sheets && sheets.names.length > 1 && (
          <Choice
            label="Sheet"
            value={sheets.chosen}
            options={sheets.names.map((name) => [name, name])}
            onChange={(sheet) => session.readAgain({ sheet })}
          />
        )}
        {encoding && (
          <Choice
            label="If names look wrong, choose where the file comes from"
            value={encoding}
            options={Object.entries(legacyEncodings)}
            onChange={(chosen) => session.readAgain({ encoding: chosen as LegacyEncoding })}
          />
        )}
        <Choice
          label="Header row"
          value={`${header ?? ''}`}
          options={[
            ...firstRows.map(
              ({ row, line, cells }) => [`${row}`, `Line ${line}: ${cells.join(' · ')}`] as const,
            ),
            ['', 'None: all lines are plants'],
          ]}
          onChange={(row) => session.send('recognize', row === '' ? undefined : Number(row))}
        />
      </div>
      <ul className="import-columns">
        {columns.columns.map((described) => (
          <ColumnCard
            key={described.column}
            column={described}
            field={fieldNames.find((field) => choice[field] === described.column)}
            onChoose={(field) => {
              const chosen = { ...columns, choice: assignColumn(choice, described.column, field) };
              session.change({ preview: { ...preview, columns: chosen } });
            }}
          />
        ))}
      </ul>
      <p className="import-note" role="status">
        {!isComplete && `Choose which column contains the ${listFields(missing)}.`}
      </p>
      {choice.id === undefined && (
        <p className="import-hint">
          <strong>IDs are generated for you.</strong>{' '}
          <span>{`The same ${source} gets the same IDs, so importing it again adds no duplicates. A line that has changed or moved is treated as a new plant.`}</span>
        </p>
      )}
    </StepFrame>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, label: string])[];
  onChange(value: string): void;
}

function Choice({ label, value, options, onChange }: ChoiceProps) {
  return (
    <label>
      {label}{' '}
      <select value={value} translate="no" onChange={({ target }) => onChange(target.value)}>
        {options.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
    </label>
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
      <h2 id={`${id}-title`} dir="auto" translate="no">
        {title}
      </h2>
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

/** Returns the choice with a column assigned to a field, or to none. The column and the field lose their earlier assignments. */
function assignColumn(choice: ColumnChoice, column: number, field: FieldName | undefined): ColumnChoice {
  return mapFields((name) => {
    if (name === field) return column;
    return choice[name] === column ? undefined : choice[name];
  });
}
