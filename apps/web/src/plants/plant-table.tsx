import type { StoredPlant } from '@plant-store/contract/operations';
import { type MouseEvent, type Ref, useEffect, useImperativeHandle, useLayoutEffect, useRef } from 'react';
import { navigate, type PlantFilter } from '../route.js';
import { textNames } from '../shared/fields.js';
import { Icon } from '../shared/icon.js';
import { sortList } from '../shared/sort-list.js';
import { narrowScreen, useMedia } from '../shared/use-media.js';
import { useHasScope } from '../shared/use-scopes.js';
import type { Column } from './columns.js';
import type { PlantRows } from './plant-pages.js';
import { PlantRow } from './plant-row.js';
import type { Selection } from './selection/use-selection.js';
import { handleTableKey } from './table-keys.js';
import { useCellEditing } from './use-cell-editing.js';
import { useRowFocus } from './use-row-focus.js';

declare module 'react' {
  interface CSSProperties {
    readonly '--widths'?: string;
    readonly '--height'?: string;
  }
}

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

/**
 * Shows the plants as rows, and only renders rows near the visible ones. Exactly one row is in the tab order. Arrow keys move the focus,
 * and with Shift select a range. Enter edits the first text in place.
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
  const [canEdit, canDelete] = [useHasScope('update'), useHasScope('delete')];
  const isNarrow = useMedia(narrowScreen);
  const fields = columns
    .map(({ name }) => textNames.find((field) => field === name))
    .filter((field) => field !== undefined);
  const [first] = fields;
  const { rowHeight, headerHeight } = useHeights();
  const count = Math.min(rows.count, maxRows);
  const rowFocus = useRowFocus({ rows, scroller, count, rowHeight, headerHeight });
  const { active, setActive, focusActive, moveTo, scrollToIndex, from, to } = rowFocus;
  const editing = useCellEditing(rows, fields, canEdit && !isNarrow, rowFocus);
  const isNearEnd = !isComplete && count < maxRows && rowFocus.lastShown >= count - loadAheadRows;
  useEffect(() => {
    if (isNearEnd) onEndReached();
  });
  const openIndex = openId === undefined ? -1 : rows.indexOf(openId);
  // When the URL opens another plant, makes its row the active one.
  useEffect(() => {
    if (openIndex !== -1) setActive(openIndex);
  }, [openIndex]);
  const openNext = (step: 1 | -1) => {
    const target = Math.max(0, Math.min(count - 1, (openIndex === -1 ? active : openIndex) + step));
    scrollToIndex(target);
    open(target, true);
  };
  useImperativeHandle(ref, () => ({ focusRow: () => moveTo(active), openNext }));
  // When the filter changes, scrolls to the top, clears the selection, and stops editing.
  const list = JSON.stringify(filter);
  const shownList = useRef(list);
  useLayoutEffect(() => {
    if (shownList.current === list) return;
    shownList.current = list;
    selection.clear();
    editing.end('blur');
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
  const onRowClick = (event: MouseEvent<HTMLElement>, index: number) => {
    const closest = (selector: string) =>
      event.target instanceof Element ? event.target.closest(selector) : null;
    if (canEdit && closest('.add-tag') !== null) return editing.edit(index, 'tag');
    const isCheckbox = closest('.plant-select') !== null;
    const isCommand = event.ctrlKey || event.metaKey;
    if (event.detail < 2) editing.noteClick(closest('td'));
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
            pageRows: rowFocus.pageRows,
            moveTo,
            open,
            close: () => navigate({ view: 'plants', filter }),
            edit:
              canEdit && !isNarrow && first !== undefined ? (index) => editing.edit(index, first) : undefined,
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
        <tbody
          className="plant-rows"
          style={{ height: rowFocus.totalHeight, paddingBlockStart: from * rowHeight }}
        >
          {rowFocus.indexes.map((index) => {
            const plant = rows.at(index);
            if (plant === undefined) return null;
            return (
              <PlantRow
                key={`${plant.id}`}
                plant={plant}
                filter={filter}
                columns={columns}
                canEdit={canEdit}
                isCard={isNarrow}
                isSelected={selection.has(plant.id)}
                editing={editing.cell?.id === plant.id ? editing.cell.name : undefined}
                onEdit={canEdit && first !== undefined ? () => editing.edit(index, first) : undefined}
                onEnd={editing.end}
                aria-rowindex={index + 2}
                aria-current={plant.id === openId || undefined}
                tabIndex={index === active ? 0 : -1}
                // Only for rows outside the range, because style attributes make Chromium ten times slower.
                style={
                  index < from || index > to ? { position: 'absolute', top: index * rowHeight } : undefined
                }
                onFocus={(event) => rowFocus.onFocus(event, index)}
                onBlur={rowFocus.onBlur}
                onClick={(event) => onRowClick(event, index)}
                onDoubleClick={() => editing.editClicked(index)}
              />
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** Selects all loaded rows, or none. */
function SelectAll({ selection, count }: { readonly selection: Selection; readonly count: number }) {
  const allSelected = selection.count > 0 && selection.count >= count;
  return (
    <input
      ref={(checkbox) => {
        if (checkbox !== null) checkbox.indeterminate = selection.count > 0 && !allSelected;
      }}
      type="checkbox"
      aria-label="Select all plants"
      checked={allSelected}
      onChange={() => (allSelected ? selection.clear() : selection.selectAll())}
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
