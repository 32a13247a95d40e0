import { useId } from 'react';
import type { ColumnChoice, ColumnsPreview, Field, Preview } from '../protocol.js';
import type { ImportSession } from '../session/import-session.js';
import { StepHeading } from './step-heading.js';

interface ChooseColumnsProps {
  readonly session: ImportSession;
  readonly preview: Preview;
  readonly columns: ColumnsPreview;
}

const fields: readonly Field[] = ['id', 'name', 'tag'];
const labels = { id: 'Id', name: 'Name', tag: 'Tag' } as const;

/** Shows each column of the file, what it was recognized as, and lets the person choose. */
export function ChooseColumns({ session, preview, columns }: ChooseColumnsProps) {
  const { choice, hasHeader } = columns;
  const isNamed = choice.name !== undefined;
  return (
    <div className="import-step">
      <StepHeading>Columns</StepHeading>
      <p className="import-hint">
        <bdi>{preview.fileName ?? 'Pasted lines'}</bdi>, read as {preview.format}
      </p>
      {preview.notes.map((note) => (
        <p key={note} className="import-note">
          {note}
        </p>
      ))}
      <label className="import-check">
        <input
          type="checkbox"
          checked={hasHeader}
          onChange={({ target }) => session.recognize(target.checked)}
        />
        First line has titles
      </label>
      <ul className="import-columns">
        {columns.columns.map((column, index) => (
          <ColumnCard
            key={index}
            column={column}
            field={fields.find((field) => choice[field] === index)}
            onChoose={(field) => session.chooseColumns(choose(choice, index, field))}
          />
        ))}
      </ul>
      <p className="import-note" role="status">
        {!isNamed && 'Choose which column is the name.'}
      </p>
      {choice.id === undefined && (
        <p className="import-hint">
          <strong>Generate ids:</strong> no column is the id, so each line gets one that is made from{' '}
          {preview.fileName === undefined ? '' : 'the name of the file, '}the number of the line, its name and
          its tag. Importing the same {preview.fileName === undefined ? 'lines' : 'file'} again stores nothing
          twice; a line that has changed or moved is another plant.
        </p>
      )}
      <p className="import-actions">
        <button
          type="button"
          className="primary"
          aria-disabled={!isNamed}
          onClick={() => isNamed && session.check()}
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

interface ColumnCardProps {
  readonly column: ColumnsPreview['columns'][number];
  readonly field: Field | undefined;
  onChoose(field: Field | undefined): void;
}

function ColumnCard({ column: { title, samples }, field, onChoose }: ColumnCardProps) {
  const id = useId();
  return (
    <li className={field === undefined ? 'import-column import-column-unused' : 'import-column'}>
      <h3 id={`${id}-title`} dir="auto">
        {title}
      </h3>
      <ul aria-label={`Samples of ${title}`}>
        {samples.map((sample, index) => (
          <li key={index} dir="auto">
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
        onChange={({ target }) => onChoose(fields.find((name) => name === target.value))}
      >
        {fields.map((name) => (
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
function choose(choice: ColumnChoice, column: number, field: Field | undefined): ColumnChoice {
  const without = (current: number | undefined) => (current === column ? undefined : current);
  const { id, name, tag } = choice;
  return {
    id: without(id),
    name: without(name),
    tag: without(tag),
    ...(field !== undefined && { [field]: column }),
  };
}
