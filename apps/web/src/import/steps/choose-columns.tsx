import type { ColumnChoice, ColumnsPreview } from '../protocol.js';

interface ChooseColumnsProps {
  readonly columns: ColumnsPreview;
  /** Whether an earlier choice is still being checked. */
  readonly busy: boolean;
  /** Without a choice the columns are recognized again. */
  onChoose(hasHeader: boolean, choice: ColumnChoice | undefined): void;
}

const fields = [
  ['id', 'Id column'],
  ['name', 'Name column'],
  ['tag', 'Tag column'],
] as const;

/** Shows which columns were recognized, and lets the person choose others. */
export function ChooseColumns({ columns, busy, onChoose }: ChooseColumnsProps) {
  const { titles, choice, hasHeader } = columns;
  return (
    <fieldset className="import-columns" aria-busy={busy}>
      <legend>Columns</legend>
      {fields.map(([field, label]) => (
        <label key={field}>
          {label}
          <select
            value={choice[field] ?? ''}
            onChange={({ target }) => {
              const column = target.value === '' ? undefined : Number(target.value);
              onChoose(hasHeader, { ...choice, [field]: column });
            }}
          >
            <option value="">{field === 'tag' ? 'None' : 'Choose a column'}</option>
            {titles.map((title, index) => (
              <option key={`${index} ${title}`} value={index}>
                {title}
              </option>
            ))}
          </select>
        </label>
      ))}
      <label className="import-check">
        <input
          type="checkbox"
          checked={hasHeader}
          onChange={({ target }) => onChoose(target.checked, undefined)}
        />
        First line is a header
      </label>
    </fieldset>
  );
}
