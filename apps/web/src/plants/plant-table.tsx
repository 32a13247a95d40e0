import type { StoredPlant } from '@plant-store/contract/operations';
import {
  lazy,
  type MouseEvent,
  type Ref,
  Suspense,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { navigate, type PlantFilter } from '../route.js';
import { type TextName, textNames } from '../shared/fields.js';
import { Icon } from '../shared/icon.js';
import { LoadBoundary, loadPart } from '../shared/load-boundary.js';
import { sortList } from '../shared/sort-list.js';
import { toVisible } from '../shared/to-visible.js';
import { narrowScreen, useMedia } from '../shared/use-media.js';
import { useHasScope } from '../shared/use-scopes.js';
import type { CellMove } from './cell-editor.js';
import type { Column } from './columns.js';
import { CopyButton } from './copy-button.js';
import { formatDay, formatTime } from './format-time.js';
import type { PlantRows } from './plant-pages.js';
import { PlantText, partsOfName } from './plant-text.js';
import type { Selection } from './selection/use-selection.js';
import { handleTableKey } from './table-keys.js';
import { useWindow } from './use-window.js';

declare module 'react' {
  interface CSSProperties {
    readonly '--widths'?: string;
    readonly '--height'?: string;
  }
}

const loadCellEditor = () => loadPart(() => import('./cell-editor.js'));

const CellEditor = lazy(async () => {
  const { CellEditor } = await loadCellEditor();
  return { default: CellEditor };
});

/** The methods that the table offers its parent. */
export interface PlantTableHandle {
  /** Moves the focus to the row that had it last. */
  focusRow(): void;
  /** Moves to the next row, or with -1 to the previous one, and opens its plant. */
  openNext(step: 1 | -1): void;
}

interface PlantTableProps {
  readonly rows: PlantRows;
  /** Whether these are all matching plants. */
  readonly isComplete: boolean;
  /** Whether these are the plants of the previous filter. */
  readonly isStale: boolean;
  readonly filter: PlantFilter;
  readonly columns: readonly Column[];
  readonly selection: Selection;
  /** Whether tapping a row selects it (on a phone). */
  readonly isSelecting: boolean;
  /** The plant that is open next to the list. */
  readonly openId: bigint | undefined;
  readonly ref: Ref<PlantTableHandle>;
  /** Called when the last loaded rows are shown and there are more. */
  onEndReached(): void;
  /** Called to delete the selected plants. */
  onDelete(plants: readonly StoredPlant[]): void;
}

const descendingOrders: ReadonlySet<string> = new Set(['newest', '-name', '-id']);

/** The heights of a row, in rem: with a mouse, on a touch screen, and as a card on a narrow screen. */
const rowHeights = { mouse: 2.5, touch: 2.75, narrow: 4.125 };
/** The height of the header, in rem. */
const headerRem = 2.25;

/** The maximum number of rows. Browsers cannot scroll further than about 17 million pixels. */
const maxRows = 200_000;
/** The next page is loaded when this many rows remain below the visible ones. */
const loadAheadRows = 50;

/** A cell that is being edited. */
interface Cell {
  readonly id: bigint;
  readonly name: TextName;
}

/**
 * Shows the plants as rows, and only renders rows near the visible ones. One row is the tab stop. Arrow keys move the focus, and with Shift
 * select a range. Enter edits the name in place.
 */
export function PlantTable({
  rows,
  isComplete,
  isStale,
  filter,
  columns,
  selection,
  isSelecting,
  openId,
  ref,
  onEndReached,
  onDelete,
}: PlantTableProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const [activeRow, setActive] = useState(0);
  const [editing, setEditing] = useState<Cell>();
  const [canEdit, canDelete] = [useHasScope('update'), useHasScope('delete')];
  const isNarrow = useMedia(narrowScreen);
  const fields = columns
    .map(({ name }) => textNames.find((field) => field === name))
    .filter((field) => field !== undefined);
  const [first] = fields;
  const rowToFocus = useRef<number>(undefined);
  const { rowHeight, headerHeight } = useHeights();
  const count = Math.min(rows.count, maxRows);
  const active = Math.min(activeRow, count - 1);
  const { indexes, from, to, lastShown, totalHeight, pageRows, scrollToIndex } = useWindow({
    scroller,
    count,
    rowHeight,
    headerHeight,
    active,
  });
  const isNearEnd = !isComplete && count < maxRows && lastShown >= count - loadAheadRows;
  useEffect(() => {
    if (isNearEnd) onEndReached();
  });
  const focusActive = () =>
    scroller.current?.querySelector<HTMLElement>('tr[tabindex="0"]')?.focus({ preventScroll: true });
  // Runs in the commit that renders the row, before it may be removed again. An outdated request is ignored.
  useLayoutEffect(() => {
    if (rowToFocus.current !== active) return;
    rowToFocus.current = undefined;
    focusActive();
  });
  const moveTo = (index: number) => {
    scrollToIndex(index);
    if (index === active) return focusActive();
    rowToFocus.current = index;
    setActive(index);
  };
  useEffect(() => void (canEdit && !isNarrow && loadCellEditor().catch(ignore)), [canEdit, isNarrow]);
  // Focuses an edited plant, which may have moved to another row.
  const editedId = useRef<bigint>(undefined);
  useLayoutEffect(() => {
    const { current: id } = editedId;
    if (id === undefined) return;
    editedId.current = undefined;
    const index = rows.indexOf(id);
    if (index !== -1) moveTo(index);
  });
  const openIndex = openId === undefined ? -1 : rows.indexOf(openId);
  // The address may open another plant.
  useEffect(() => {
    if (openIndex !== -1) setActive(openIndex);
  }, [openIndex]);
  const openNext = (step: 1 | -1) => {
    const target = Math.max(0, Math.min(count - 1, (openIndex === -1 ? active : openIndex) + step));
    scrollToIndex(target);
    open(target, true);
  };
  useImperativeHandle(ref, () => ({ focusRow: () => moveTo(active), openNext }));
  // If the focused row disappears, for example because its plant was deleted, another row takes the focus.
  const focusedRow = useRef<Element>(undefined);
  useLayoutEffect(() => {
    if (focusedRow.current === undefined || focusedRow.current.isConnected) return;
    focusedRow.current = undefined;
    if (document.activeElement === document.body) focusActive();
  });
  // Another list starts at its first row, without a selection.
  const list = JSON.stringify(filter);
  const shownList = useRef(list);
  useLayoutEffect(() => {
    if (shownList.current === list) return;
    shownList.current = list;
    selection.clear();
    setEditing(undefined);
    setActive(0);
    if (scroller.current !== null) scroller.current.scrollTop = 0;
  });
  const removeSelected = () => {
    const plants =
      selection.count > 0 ? selection.plants() : [rows.at(active)].filter((plant) => plant !== undefined);
    selection.clear();
    focusActive();
    onDelete(plants);
  };
  const open = (index: number, replace = openId !== undefined) => {
    setActive(index);
    const plant = rows.at(index);
    if (plant !== undefined) navigate({ view: 'plants', id: `${plant.id}`, filter }, { replace });
  };
  const edit = (index: number, name: TextName) => {
    const plant = rows.at(index);
    if (plant === undefined) return;
    setActive(index);
    setEditing({ id: plant.id, name });
  };
  /** Ends the edit of a cell, and moves to the next one if requested. */
  const leaveCell = ({ id, name }: Cell, move: CellMove) => {
    const index = rows.indexOf(id);
    const field = fields[fields.indexOf(name) + (move === 'next' ? 1 : -1)];
    if ((move === 'next' || move === 'previous') && field !== undefined)
      return setEditing({ id, name: field });
    const target = index + (move === 'down' ? 1 : move === 'up' ? -1 : 0);
    const other = rows.at(target);
    setEditing(target !== index && other !== undefined ? { id: other.id, name } : undefined);
    if (target !== index && other !== undefined) {
      scrollToIndex(target);
      return setActive(target);
    }
    if (move !== 'leave') editedId.current = id;
  };
  const clicked = useRef<TextName>(undefined);
  const onRowClick = (event: MouseEvent<HTMLElement>, index: number) => {
    if (canEdit && event.target instanceof Element && event.target.closest('.add-tag') !== null)
      return edit(index, 'tag');
    const isCheckbox = event.target instanceof Element && event.target.closest('.plant-select') !== null;
    const isCommand = event.ctrlKey || event.metaKey;
    // Notes the cell of the first click. It opens the panel, so the second click of a double click may hit another cell.
    const cell = event.target instanceof Element ? event.target.closest('td') : null;
    if (event.detail < 2) clicked.current = fields.find((name) => cell?.classList.contains(`plant-${name}`));
    if (!event.shiftKey && !isCheckbox && !isCommand && !isSelecting) {
      if (event.detail < 2) open(index);
      // Keeps the focus on the row while the panel opens, so that arrow keys go to the next plant.
      if (!isNarrow) event.currentTarget.focus({ preventScroll: true });
      return;
    }
    if (event.shiftKey) selection.extendTo(index);
    else selection.toggle(index);
    setActive(index);
    event.currentTarget.focus({ preventScroll: true });
  };
  const lastWidth = openId === undefined ? '4.5rem' : '2rem';
  const widths = ['2.75rem', ...columns.map(({ width }) => width), lastWidth].join(' ');
  return (
    // Firefox makes scrollable elements tab stops by default, but here the rows are the tab stops.
    <div
      ref={scroller}
      className="plant-table"
      aria-busy={isStale}
      data-selecting={isSelecting || undefined}
      tabIndex={-1}
    >
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: ARIA in HTML allows any role for a table
        role="grid"
        aria-label="Plants"
        aria-rowcount={isComplete ? count + 1 : -1}
        aria-colcount={columns.length + 2}
        aria-multiselectable
        style={{ '--widths': widths, '--height': `${rowHeight}px` }}
        onKeyDown={(event) =>
          handleTableKey(event, {
            count,
            active,
            selection,
            isOpen: openId !== undefined,
            pageRows,
            moveTo,
            open,
            close: () => navigate({ view: 'plants', filter }),
            edit: canEdit && !isNarrow && first !== undefined ? (index) => edit(index, first) : undefined,
            remove: canDelete ? removeSelected : undefined,
          })
        }
      >
        <thead>
          <tr aria-rowindex={1} className="plant-head">
            <th scope="col" className="plant-select">
              <SelectAll selection={selection} count={rows.count} />
            </th>
            {columns.map((column) => (
              <ColumnHeader key={column.name} column={column} filter={filter} />
            ))}
            <th scope="col">
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody className="plant-rows" style={{ height: totalHeight, paddingBlockStart: from * rowHeight }}>
          {indexes.map((index) => {
            const plant = rows.at(index);
            if (plant === undefined) return null;
            const { id } = plant;
            const name = toVisible(plant.name) || '(no name)';
            return (
              <tr
                key={`${id}`}
                aria-rowindex={index + 2}
                aria-selected={selection.has(id)}
                aria-current={id === openId || undefined}
                tabIndex={index === active ? 0 : -1}
                className="plant-row"
                // Only for rows outside the range, because style attributes make Chromium ten times slower.
                style={
                  index < from || index > to ? { position: 'absolute', top: index * rowHeight } : undefined
                }
                onFocus={(event) => {
                  focusedRow.current = event.currentTarget;
                  setActive(index);
                }}
                onBlur={({ target }) => {
                  if (target.isConnected) focusedRow.current = undefined;
                }}
                // Shift+click must not select text.
                onMouseDown={(event) => event.shiftKey && event.preventDefault()}
                onClick={(event) => onRowClick(event, index)}
                onDoubleClick={() => canEdit && !isNarrow && clicked.current && edit(index, clicked.current)}
              >
                <td className="plant-select">
                  <input
                    type="checkbox"
                    tabIndex={-1}
                    aria-label={name}
                    checked={selection.has(id)}
                    // Handled by the click on the row, which knows the modifier keys.
                    onChange={ignore}
                  />
                </td>
                {columns.map((column) => {
                  const field = fields.find((each) => each === column.name);
                  if (field === undefined || editing?.id !== id || editing.name !== field)
                    return (
                      <Cell
                        key={column.name}
                        plant={plant}
                        column={column}
                        canEdit={canEdit}
                        isCard={isNarrow}
                      />
                    );
                  return (
                    <td key={column.name} className={`plant-${field} plant-edited`}>
                      <LoadBoundary>
                        <Suspense>
                          <CellEditor
                            key={`${id} ${field}`}
                            plant={plant}
                            name={field}
                            filter={filter}
                            onLeave={(move) => leaveCell(editing, move)}
                          />
                        </Suspense>
                      </LoadBoundary>
                    </td>
                  );
                })}
                <td className="plant-actions">
                  {canEdit && first !== undefined && (
                    <button
                      type="button"
                      className="quiet icon-only"
                      // Only for pointers. On the keyboard, Enter on the row does the same.
                      aria-hidden
                      tabIndex={-1}
                      title="Edit"
                      onClick={(event) => {
                        event.stopPropagation();
                        edit(index, first);
                      }}
                    >
                      <Icon name="edit" />
                    </button>
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

interface CellProps {
  readonly plant: StoredPlant;
  readonly column: Column;
  readonly canEdit: boolean;
  /** Whether the row is a card with a second line below the name (on a phone). */
  readonly isCard: boolean;
}

/** The value of a plant in a column. */
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

function ignore(): void {}

/** Selects all loaded rows, or none. */
function SelectAll({ selection, count }: { readonly selection: Selection; readonly count: number }) {
  const areAll = selection.count > 0 && selection.count >= count;
  return (
    <input
      ref={(checkbox) => {
        if (checkbox !== null) checkbox.indeterminate = selection.count > 0 && !areAll;
      }}
      type="checkbox"
      aria-label="Select all plants"
      checked={areAll}
      onChange={() => (areAll ? selection.clear() : selection.selectAll())}
    />
  );
}

/** The header of a column. If the service can sort by the column, pressing it sorts, and pressing it again reverses the order. */
function ColumnHeader({ column, filter }: { readonly column: Column; readonly filter: PlantFilter }) {
  const { name, title, sorts } = column;
  if (sorts === undefined) {
    return (
      <th scope="col" className={`plant-${name}`}>
        {title}
      </th>
    );
  }
  const [first, other] = sorts;
  const isSorted = sorts.includes(filter.order);
  const isDescending = descendingOrders.has(filter.order);
  return (
    <th
      scope="col"
      className={`plant-${name}`}
      aria-sort={isSorted ? (isDescending ? 'descending' : 'ascending') : undefined}
    >
      <button
        type="button"
        className="quiet sort"
        onClick={() => sortList(filter, filter.order === first ? other : first)}
      >
        {title} <Icon name={isSorted && isDescending ? 'sortDown' : 'sortUp'} />
      </button>
    </th>
  );
}

/** The heights of a row and of the header, in CSS pixels. */
function useHeights() {
  const isNarrow = useMedia(narrowScreen);
  const isTouch = useMedia('(pointer: coarse)');
  const fontSize = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
  const rowHeight = fontSize * rowHeights[isNarrow ? 'narrow' : isTouch ? 'touch' : 'mouse'];
  return { rowHeight, headerHeight: isNarrow ? 0 : fontSize * headerRem };
}
