import { plantFieldNames, plantFields } from '@plant-store/contract/fields';
import { shorten } from '@plant-store/contract/messages';
import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual';
import {
  type KeyboardEvent,
  type Ref,
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { navigate, type PlantFilter } from '../route.js';
import { CopyButton } from './copy-button.js';
import { formatAge, formatTime } from './format-time.js';
import type { PlantRows } from './plant-pages.js';
import { PlantText } from './plant-text.js';
import './tag-button.css';

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
}

const titles = [...plantFieldNames.map((name) => plantFields[name].label), 'Id', 'Added'];

/** The heights of a row, in CSS pixels, as in plants.css: of one line, and of a card on a narrow screen. */
const rowHeights = { wide: 48, narrow: 84 };

/** How many rows a table shows: browsers cannot scroll further than some 17 million pixels. */
const maxRows = 200_000;

/** The plants as rows, of which only those near the visible ones exist. One row takes the focus: arrow keys move it. */
export function PlantTable({ rows, isComplete, isStale, filter, ref, onEndReached }: PlantTableProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const [selected, setActive] = useState(0);
  const takesFocus = useRef<number>(undefined);
  const rowHeight = useMedia('(max-width: 40rem)') ? rowHeights.narrow : rowHeights.wide;
  const count = Math.min(rows.count, maxRows);
  const active = Math.min(selected, count - 1);
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
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target instanceof Element && event.target.tagName !== 'TR') return;
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
    if (target !== undefined) moveTo(target);
    else if (event.key === 'Enter') open(active);
    else return;
    event.preventDefault();
  };
  const open = (index: number) => {
    setActive(index);
    const plant = rows.at(index);
    if (plant !== undefined) navigate({ view: 'plants', id: `${plant.id}`, filter });
  };
  const now = Date.now();
  return (
    // Firefox makes what scrolls a stop of the Tab key, unless it is said to be none: the rows are.
    <div ref={scroller} className="plant-table" aria-busy={isStale} tabIndex={-1}>
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: ARIA in HTML allows any role for a table
        role="grid"
        aria-label="Plants"
        aria-rowcount={isComplete ? count + 1 : -1}
        aria-colcount={titles.length}
        onKeyDown={onKeyDown}
      >
        <thead>
          <tr aria-rowindex={1} className="plant-head">
            {titles.map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
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
                tabIndex={index === active ? 0 : -1}
                className="plant-row"
                style={{ transform: `translateY(${start}px)`, height: rowHeight }}
                onFocus={() => setActive(index)}
                onClick={() => open(index)}
              >
                {plantFieldNames.map((name) => (
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
  );
}

/** A tag, by which a press filters. */
function TagButton({ tag, filter }: { readonly tag: string; readonly filter: PlantFilter }) {
  return (
    <button
      type="button"
      className="tag"
      dir="auto"
      translate="no"
      // As in `CopyButton`: the rows take the focus.
      tabIndex={-1}
      title="Show the plants with this tag"
      onClick={(event) => {
        event.stopPropagation();
        navigate({ view: 'plants', filter: { ...filter, tag } });
      }}
    >
      {shorten(tag)}
    </button>
  );
}

/** Ascending indexes with another among them. */
function withIndex(indexes: readonly number[], index: number): number[] {
  if (index < 0 || indexes.includes(index)) return [...indexes];
  return [...indexes, index].sort((one, other) => one - other);
}

function useMedia(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const onChange = () => setMatches(list.matches);
    onChange();
    list.addEventListener('change', onChange);
    return () => list.removeEventListener('change', onChange);
  }, [query]);
  return matches;
}
