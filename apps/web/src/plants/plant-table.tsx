import type { StoredPlant } from '@plant-store/contract/operations';
import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual';
import {
  type KeyboardEvent,
  lazy,
  type MouseEvent,
  type Ref,
  Suspense,
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { isOrder, type ListOrder, navigate, type PlantFilter } from '../route.js';
import { LoadBoundary, loadPart } from '../shared/load-boundary.js';
import { toVisible } from '../shared/to-visible.js';
import { narrowScreen, useMedia } from '../shared/use-media.js';
import { useMay } from '../shared/use-scopes.js';
import { CopyButton } from './copy-button.js';
import { formatAge, formatTime } from './format-time.js';
import type { PlantRows } from './plant-pages.js';
import { PlantText } from './plant-text.js';
import { type Selection, useSelection } from './selection/use-selection.js';
import './selection.css';
import { labels, textNames } from '../shared/fields.js';

const SelectionBar = lazy(async () => {
  const { SelectionBar } = await loadPart(() => import('./selection/selection-bar.js'));
  return { default: SelectionBar };
});

/** What the table lets its owner do. */
export interface PlantTableHandle {
  /** Moves the focus to the row that had it last. */
  focusRow(): void;
}

interface PlantTableProps {
  readonly rows: PlantRows;
  /** Whether these are all plants that match. */
  readonly isComplete: boolean;
  /** Whether they are those of the filter before. */
  readonly isStale: boolean;
  readonly filter: PlantFilter;
  readonly ref: Ref<PlantTableHandle>;
  /** Called when the last rows are shown, and more follow. */
  onEndReached(): void;
  /** Called to delete the plants that are selected. */
  onDelete(plants: readonly StoredPlant[]): void;
}

interface Column {
  /** As part of the name of a class. */
  readonly name: string;
  readonly title: string;
  /** How the service sorts by it, if it does: first as the title does at first. */
  readonly sorts?: readonly [ListOrder, ListOrder];
}

const columns: readonly Column[] = [
  ...textNames.map((name): Column => {
    const title = labels[name];
    return isOrder(name) && isOrder(`-${name}`)
      ? { name, title, sorts: [name, `-${name}` as ListOrder] }
      : { name, title };
  }),
  { name: 'id', title: 'Id', sorts: ['id', '-id'] },
  { name: 'added', title: 'Added', sorts: ['newest', 'oldest'] },
];

/** The orders that begin with the largest. */
const descending: ReadonlySet<ListOrder> = new Set(['newest', '-name', '-id']);

/** The heights of a row, in the font size of the page: of one line, of one to be touched, and of a card on a narrow screen. */
const rowHeights = { wide: 2.25, touched: 2.75, narrow: 3.5 };

/** How many rows a table shows: browsers cannot scroll further than some 17 million pixels. */
const maxRows = 200_000;

/**
 * The plants as rows, of which only those near the visible ones exist. One row takes the focus: arrow keys move it, and select a range
 * with Shift.
 */
export function PlantTable({
  rows,
  isComplete,
  isStale,
  filter,
  ref,
  onEndReached,
  onDelete,
}: PlantTableProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const [focused, setActive] = useState(0);
  const selection = useSelection(rows);
  const canDelete = useMay('delete');
  const takesFocus = useRef<number>(undefined);
  const rowHeight = useRowHeight();
  const count = Math.min(rows.count, maxRows);
  const active = Math.min(focused, count - 1);
  // The row that may have the focus exists wherever the table is scrolled to, so that the focus is not lost.
  const rangeExtractor = useCallback(
    (range: Range) => withIndex(defaultRangeExtractor(range), active),
    [active],
  );
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
    rangeExtractor,
  });
  useEffect(() => virtualizer.measure(), [virtualizer, rowHeight]);
  const items = virtualizer.getVirtualItems();
  const lastShown = virtualizer.range?.endIndex ?? 0;
  const isAtEnd = !isComplete && count < maxRows && lastShown >= count - 50;
  useEffect(() => {
    if (isAtEnd) onEndReached();
  });
  const focusActive = () =>
    scroller.current?.querySelector<HTMLElement>('tr[tabindex="0"]')?.focus({ preventScroll: true });
  // In the same commit, before the row that has the focus may go; a row of an earlier one does not count.
  useLayoutEffect(() => {
    if (takesFocus.current !== active) return;
    takesFocus.current = undefined;
    focusActive();
  });
  const moveTo = (index: number) => {
    const target = Math.max(0, Math.min(count - 1, index));
    virtualizer.scrollToIndex(target);
    if (target === active) return focusActive();
    takesFocus.current = target;
    setActive(target);
  };
  useImperativeHandle(ref, () => ({ focusRow: () => moveTo(active) }));
  // The row that has the focus may go, such as by its deletion; another one takes its place.
  const withFocus = useRef<Element>(undefined);
  useLayoutEffect(() => {
    if (withFocus.current === undefined || withFocus.current.isConnected) return;
    withFocus.current = undefined;
    if (document.activeElement === document.body) focusActive();
  });
  // The next list begins at its first row, and nothing of it is selected.
  const list = JSON.stringify(filter);
  const shownList = useRef(list);
  useLayoutEffect(() => {
    if (shownList.current === list) return;
    shownList.current = list;
    selection.clear();
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
  const onKeyDown = (event: KeyboardEvent) => {
    const isCommand = event.ctrlKey || event.metaKey;
    if (isCommand && event.key.toLowerCase() === 'a') {
      event.preventDefault();
      return selection.selectAll();
    }
    if (event.key === 'Escape' && selection.count > 0) {
      event.preventDefault();
      return selection.clear();
    }
    if (isCommand || event.altKey) return;
    // The focus may still be on the checkbox that has selected all.
    const isDelete = event.key === 'Delete' && selection.count > 0;
    if (event.target instanceof Element && event.target.tagName !== 'TR' && !isDelete) return;
    const shown = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 1);
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + shown,
      PageUp: active - shown,
      Home: 0,
      End: count - 1,
    };
    const target = steps[event.key];
    if (target !== undefined) {
      if (event.shiftKey) selection.extendFrom(active, Math.max(0, Math.min(count - 1, target)));
      moveTo(target);
    } else if (event.key === ' ' && event.shiftKey) selection.extendTo(active);
    else if (event.key === ' ') selection.toggle(active);
    else if (event.key === 'Delete' && canDelete) removeSelected();
    else if (event.key === 'Enter') open(active);
    else return;
    event.preventDefault();
  };
  const open = (index: number) => {
    setActive(index);
    const plant = rows.at(index);
    if (plant !== undefined) navigate({ view: 'plants', id: `${plant.id}`, filter });
  };
  const onRowClick = (event: MouseEvent<HTMLElement>, index: number) => {
    const isCheckbox = event.target instanceof Element && event.target.closest('.plant-select') !== null;
    const isCommand = event.ctrlKey || event.metaKey;
    if (!event.shiftKey && !isCheckbox && !isCommand) return open(index);
    if (event.shiftKey) selection.extendTo(index);
    else selection.toggle(index);
    setActive(index);
    event.currentTarget.focus({ preventScroll: true });
  };
  const now = Date.now();
  return (
    <>
      {/* Firefox makes what scrolls a stop of the Tab key, unless it is said to be none: the rows are. */}
      <div ref={scroller} className="plant-table" aria-busy={isStale} tabIndex={-1}>
        <table
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: ARIA in HTML allows any role for a table
          role="grid"
          aria-label="Plants"
          aria-rowcount={isComplete ? count + 1 : -1}
          aria-colcount={columns.length + 1}
          aria-multiselectable
          onKeyDown={onKeyDown}
        >
          <thead>
            <tr aria-rowindex={1} className="plant-head">
              <th scope="col" className="plant-select">
                <SelectAll selection={selection} count={rows.count} />
              </th>
              {columns.map((column) => (
                <Heading key={column.name} column={column} filter={filter} />
              ))}
            </tr>
          </thead>
          <tbody className="plant-rows" style={{ height: virtualizer.getTotalSize() }}>
            {items.map(({ index, start }) => {
              const plant = rows.at(index);
              if (plant === undefined) return null;
              const { id, addedAt } = plant;
              return (
                <tr
                  key={`${id}`}
                  aria-rowindex={index + 2}
                  aria-selected={selection.has(id)}
                  tabIndex={index === active ? 0 : -1}
                  className="plant-row"
                  style={{ transform: `translateY(${start}px)`, height: rowHeight }}
                  onFocus={(event) => {
                    withFocus.current = event.currentTarget;
                    setActive(index);
                  }}
                  onBlur={({ target }) => {
                    if (target.isConnected) withFocus.current = undefined;
                  }}
                  // With Shift it would select text.
                  onMouseDown={(event) => event.shiftKey && event.preventDefault()}
                  onClick={(event) => onRowClick(event, index)}
                >
                  <td className="plant-select">
                    <input
                      type="checkbox"
                      tabIndex={-1}
                      aria-label={toVisible(plant.name) || '(no name)'}
                      checked={selection.has(id)}
                      // By the click on its row, which has the keys that were held.
                      onChange={ignore}
                    />
                  </td>
                  {textNames.map((name) => (
                    <td key={name} className={`plant-${name}`} dir="auto">
                      {name === 'tag' && plant.tag ? (
                        <TagButton tag={plant.tag} filter={filter} />
                      ) : (
                        <PlantText plant={plant} name={name} />
                      )}
                    </td>
                  ))}
                  <td className="plant-id">
                    <code translate="no">{`${id}`}</code>
                    <CopyButton text={`${id}`} label={`Copy the id ${id}`} inTable />
                  </td>
                  <td className="plant-added">
                    {addedAt !== undefined && (
                      <time dateTime={addedAt} title={formatTime(addedAt)}>
                        {formatAge(addedAt, now)}
                      </time>
                    )}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      <p role="status" className="visually-hidden">
        {selection.count > 0 && <span>{`${selection.count.toLocaleString()} selected`}</span>}
      </p>
      {selection.count > 0 && (
        <LoadBoundary>
          <Suspense>
            <SelectionBar
              selection={selection}
              isComplete={isComplete}
              filter={filter}
              onDelete={removeSelected}
            />
          </Suspense>
        </LoadBoundary>
      )}
    </>
  );
}

function ignore(): void {}

/** Selects all rows that are loaded, or none. */
function SelectAll({ selection, count }: { readonly selection: Selection; readonly count: number }) {
  const areAll = selection.count > 0 && selection.count >= count;
  return (
    <input
      ref={(checkbox) => {
        if (checkbox !== null) checkbox.indeterminate = selection.count > 0 && !areAll;
      }}
      type="checkbox"
      aria-label="Select all that are loaded"
      checked={areAll}
      onChange={() => (areAll ? selection.clear() : selection.selectAll())}
    />
  );
}

/** The title of a column, which sorts by it where the service can, and the other way when it is pressed again. */
function Heading({ column, filter }: { readonly column: Column; readonly filter: PlantFilter }) {
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
  const isDescending = descending.has(filter.order);
  return (
    <th
      scope="col"
      className={`plant-${name}`}
      aria-sort={isSorted ? (isDescending ? 'descending' : 'ascending') : undefined}
    >
      <button
        type="button"
        className="quiet sort"
        onClick={() =>
          navigate({ view: 'plants', filter: { ...filter, order: filter.order === first ? other : first } })
        }
      >
        {title}
        {isSorted && <span aria-hidden="true">{isDescending ? ' ↓' : ' ↑'}</span>}
      </button>
    </th>
  );
}

/** The height of a row in CSS pixels. */
function useRowHeight(): number {
  const isNarrow = useMedia(narrowScreen);
  const isTouched = useMedia('(pointer: coarse)');
  const fontSize = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
  return fontSize * rowHeights[isNarrow ? 'narrow' : isTouched ? 'touched' : 'wide'];
}

/** A tag, by which a press filters. */
function TagButton({ tag, filter }: { readonly tag: string; readonly filter: PlantFilter }) {
  return (
    <button
      type="button"
      className="tag-button"
      // As in `CopyButton`: the rows take the focus.
      tabIndex={-1}
      title="Show the plants with this tag"
      onClick={(event) => {
        event.stopPropagation();
        navigate({ view: 'plants', filter: { ...filter, tag, without: undefined } });
      }}
    >
      <span className="tag" dir="auto" translate="no">
        {toVisible(tag)}
      </span>
    </button>
  );
}

/** Ascending indexes with another among them. */
function withIndex(indexes: readonly number[], index: number): number[] {
  if (index < 0 || indexes.includes(index)) return [...indexes];
  return [...indexes, index].sort((one, other) => one - other);
}
