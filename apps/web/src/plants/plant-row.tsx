import type { StoredPlant } from '@plant-store/contract/operations';
import { type ComponentProps, lazy, Suspense } from 'react';
import type { PlantFilter } from '../route.js';
import { type TextName, textNames } from '../shared/fields.js';
import { Icon } from '../shared/icon.js';
import { LoadBoundary } from '../shared/load-boundary.js';
import { toVisible } from '../shared/to-visible.js';
import type { AfterEdit } from './cell-editor.js';
import type { Column } from './columns.js';
import { CopyButton } from './copy-button.js';
import { formatDay, formatTime } from './format-time.js';
import { PlantText, partsOfName } from './plant-text.js';
import { loadCellEditor } from './use-cell-editing.js';

const CellEditor = lazy(async () => {
  const { CellEditor } = await loadCellEditor();
  return { default: CellEditor };
});

interface PlantRowProps extends ComponentProps<'tr'> {
  readonly plant: StoredPlant;
  readonly filter: PlantFilter;
  readonly columns: readonly Column[];
  readonly canEdit: boolean;
  /** Whether the row is a card with a second line below the name (on a phone). */
  readonly isCard: boolean;
  readonly isSelected: boolean;
  /** The field whose cell is being edited. */
  readonly editing: TextName | undefined;
  /** Called to edit the first text. `undefined` if there is none, or the token does not permit that. */
  readonly onEdit: (() => void) | undefined;
  onEnd(after: AfterEdit): void;
}

/** Shows a plant as a row with a checkbox. Other properties are passed to the `tr` element. */
export function PlantRow(props: PlantRowProps) {
  const { plant, filter, columns, canEdit, isCard, isSelected, editing, onEdit, onEnd, ...row } = props;
  return (
    <tr
      {...row}
      aria-selected={isSelected}
      className="plant-row"
      // Shift+click must not select text.
      onMouseDown={(event) => event.shiftKey && event.preventDefault()}
    >
      <td className="plant-select">
        <input
          type="checkbox"
          tabIndex={-1}
          aria-label={toVisible(plant.name) || '(no name)'}
          checked={isSelected}
          // Handled by the click on the row, which knows the modifier keys.
          onChange={() => undefined}
        />
      </td>
      {columns.map((column) =>
        column.name === editing ? (
          <td key={column.name} className={`plant-${editing} plant-edited`}>
            <LoadBoundary>
              <Suspense>
                <CellEditor
                  key={`${plant.id} ${editing}`}
                  plant={plant}
                  name={editing}
                  filter={filter}
                  onEnd={onEnd}
                />
              </Suspense>
            </LoadBoundary>
          </td>
        ) : (
          <Cell key={column.name} plant={plant} column={column} canEdit={canEdit} isCard={isCard} />
        ),
      )}
      <td className="plant-actions">
        {onEdit !== undefined && (
          <button
            type="button"
            className="quiet icon-only"
            // Only for pointers. On the keyboard, Enter on the row does the same.
            aria-hidden
            tabIndex={-1}
            title="Edit"
            onClick={(event) => {
              event.stopPropagation();
              onEdit();
            }}
          >
            <Icon name="edit" />
          </button>
        )}
      </td>
    </tr>
  );
}

interface CellProps extends Pick<PlantRowProps, 'plant' | 'canEdit' | 'isCard'> {
  readonly column: Column;
}

/** Shows a plant's value in a column. */
function Cell({ plant, column: { name }, canEdit, isCard }: CellProps) {
  const { id, addedAt } = plant;
  if (name === 'id') {
    return (
      <td className="plant-id">
        <code translate="no">{`${id}`}</code>
        <CopyButton text={`${id}`} label={`Copy the ID ${id}`} inTable />
      </td>
    );
  }
  const field = textNames.find((each) => each === name);
  if (field === undefined) {
    return (
      <td className="plant-added">
        {addedAt !== undefined && (
          <time dateTime={addedAt} title={formatTime(addedAt)}>
            {formatDay(addedAt)}
          </time>
        )}
      </td>
    );
  }
  const second = field === 'name' ? partsOfName(plant.name)[1] : undefined;
  return (
    <td className={`plant-${field}`} dir="auto">
      <PlantText plant={plant} name={field} />
      {field === 'tag' && !plant.tag && canEdit && !isCard && <span className="add-tag">Add a tag</span>}
      {field === 'name' && isCard && (
        <span className="second-line" dir="auto" translate="no">
          {second === undefined ? addedAt && formatDay(addedAt) : toVisible(second)}
        </span>
      )}
    </td>
  );
}
