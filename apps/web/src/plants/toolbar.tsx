import { QUERY_MAX_LENGTHS } from '@plant-store/contract/messages';
import { useEffect, useState } from 'react';
import { isOrder, navigate, orderTitles, type PlantFilter, titleOf } from '../route.js';
import { labelInSentence } from '../shared/fields.js';
import { Icon } from '../shared/icon.js';
import { Menu } from '../shared/menu.js';
import { keepPreferences } from '../shared/preferences.js';
import { RouteLink } from '../shared/route-link.js';
import { sortList } from '../shared/sort-list.js';
import { toVisible } from '../shared/to-visible.js';
import { narrowScreen, useMedia } from '../shared/use-media.js';
import { useHasScope } from '../shared/use-scopes.js';
import { withoutLastSpace } from '../shared/without-last-space.js';
import type { Columns } from './columns.js';
import type { ExportFormat } from './export-plants.js';
import type { LabelFormat } from './labels.js';
import type { PrintRequest } from './print.js';
import { readSearchedId } from './read-searched-id.js';
import { TagDot } from './tag.js';
import { findSameTags, useCounts } from './use-tags.js';

interface ToolbarProps {
  readonly filter: PlantFilter;
  /** How many plants the list has, as far as known. */
  readonly count: number | undefined;
  readonly columns: Columns;
  /** Whether no plant has the ID that is searched for. */
  readonly isSearchedIdMissing: boolean;
  /** Whether so few plants match that the person might have meant another search. */
  readonly hasFewMatches: boolean;
  /** Whether tapping a row selects it (on a phone). */
  readonly isSelecting: boolean;
  onSelecting(isSelecting: boolean): void;
  /** Called to show the side bar if it is hidden for lack of space. */
  readonly onMenu: (() => void) | undefined;
  /** Called to move the focus from the search to the list. */
  onDown(): void;
  onPrint(request: PrintRequest): void;
  onExport(format: ExportFormat): void;
  /** Called to delete all plants in the list. */
  onDeleteAll(): void;
}

/** How long to wait for more input before searching. */
const debounceMs = 200;

/** The title of the list, its search, and its menus. */
export function Toolbar(props: ToolbarProps) {
  const {
    filter,
    count,
    columns,
    isSearchedIdMissing,
    hasFewMatches,
    isSelecting,
    onSelecting,
    onMenu,
    onDown,
  } = props;
  const isNarrow = useMedia(narrowScreen);
  const canAdd = useHasScope('create');
  return (
    <header className="toolbar">
      {onMenu !== undefined && (
        <button type="button" className="quiet icon-only menu-button" onClick={onMenu}>
          <Icon name="menu" />
          <span className="visually-hidden">Views and tags</span>
        </button>
      )}
      <h1 translate={filter.tag === undefined && filter.q === undefined ? 'yes' : 'no'}>{titleOf(filter)}</h1>
      {isNarrow && (
        <>
          {count !== undefined && (
            <span className="count" aria-hidden>
              {count.toLocaleString()}
            </span>
          )}
          <button
            type="button"
            className="quiet link select-button"
            aria-pressed={isSelecting}
            onClick={() => onSelecting(!isSelecting)}
          >
            {isSelecting ? 'Done' : 'Select'}
          </button>
        </>
      )}
      <Search filter={filter} isSearchedIdMissing={isSearchedIdMissing} onDown={onDown} />
      {isNarrow ? <Chips filter={filter} /> : <ColumnsMenu columns={columns} />}
      <MoreMenu {...props} />
      {canAdd && !isNarrow && (
        <RouteLink to={{ view: 'add', filter }} className="button primary">
          <Icon name="add" />
          Add plant
        </RouteLink>
      )}
      <OtherTags filter={filter} hasFewMatches={hasFewMatches} />
    </header>
  );
}

/** Searches names, or opens a plant by its ID. */
function Search({
  filter,
  isSearchedIdMissing,
  onDown,
}: Pick<ToolbarProps, 'filter' | 'isSearchedIdMissing' | 'onDown'>) {
  const [text, setText] = useState(filter.q ?? '');
  // Something else, such as the browser's Back button, can change the search.
  useEffect(
    () => setText((typed) => (withoutLastSpace(typed) === (filter.q ?? '') ? typed : (filter.q ?? ''))),
    [filter.q],
  );
  useEffect(() => {
    const q = withoutLastSpace(text);
    if (q === (filter.q ?? '')) return;
    const timer = setTimeout(
      () =>
        navigate({ view: 'plants', filter: { ...filter, q: q === '' ? undefined : q } }, { replace: true }),
      debounceMs,
    );
    return () => clearTimeout(timer);
  }, [text, filter]);
  const id = readSearchedId(text);
  const open = () => {
    // Cancels the pending search.
    setText(filter.q ?? '');
    navigate({ view: 'plants', id: `${id}`, filter });
  };
  return (
    <search>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (id !== undefined) open();
        }}
      >
        <label className="search">
          <Icon name="search" />
          <span className="visually-hidden">Search</span>
          <input
            type="search"
            value={text}
            placeholder="Search names"
            maxLength={QUERY_MAX_LENGTHS.q}
            autoComplete="off"
            autoCapitalize="none"
            autoCorrect="off"
            enterKeyHint="search"
            spellCheck={false}
            dir="auto"
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'ArrowDown' || event.nativeEvent.isComposing) return;
              event.preventDefault();
              onDown();
            }}
          />
          <kbd aria-hidden>/</kbd>
        </label>
        {id !== undefined && !(isSearchedIdMissing && id === readSearchedId(filter.q ?? '')) && (
          <button type="submit" className="suggestion">
            <span>Open plant</span> <span translate="no">{`${id}`}</span>
          </button>
        )}
      </form>
    </search>
  );
}

/** The menu to show and hide columns. */
function ColumnsMenu({ columns: { all, isHidden, toggle, reset } }: { readonly columns: Columns }) {
  return (
    <Menu
      className="columns-menu"
      isQuiet
      label={
        <>
          <Icon name="columns" />
          <span className="visually-hidden">Columns</span>
        </>
      }
    >
      <p>Columns</p>
      {all.map(({ name, title }) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: keeps the menu open when a checkbox changes, with mouse or keyboard
        <label key={name} onClick={(event) => event.stopPropagation()}>
          <input
            type="checkbox"
            checked={!isHidden(name)}
            disabled={name === 'name'}
            onChange={() => toggle(name)}
          />
          {title} {name === 'name' && <span className="note">always shown</span>}
        </label>
      ))}
      <hr />
      <button type="button" onClick={reset}>
        <Icon name="undo" /> Reset columns
      </button>
    </Menu>
  );
}

/** The actions on all plants in the list. */
function MoreMenu({ count, onPrint, onExport, onDeleteAll }: ToolbarProps) {
  const canDelete = useHasScope('delete');
  const printLabels = (format: LabelFormat) => {
    keepPreferences({ labels: format });
    onPrint({ what: 'labels', format });
  };
  return (
    <Menu
      isQuiet
      label={
        <>
          <Icon name="more" />
          <span className="visually-hidden">More</span>
        </>
      }
    >
      <button type="button" onClick={() => onExport('xlsx')}>
        <Icon name="download" /> Export to Excel
      </button>
      <button type="button" onClick={() => onExport('csv')}>
        <Icon name="download" /> Export as CSV
      </button>
      <button type="button" onClick={() => onExport('ndjson')}>
        <Icon name="download" /> Export as NDJSON
      </button>
      <hr />
      <button type="button" onClick={() => onPrint({ what: 'list' })}>
        <Icon name="print" /> Print the list
      </button>
      <button type="button" onClick={() => printLabels('a4')}>
        <Icon name="label" /> Print labels (A4)
      </button>
      <button type="button" onClick={() => printLabels('letter')}>
        <Icon name="label" /> Print labels (Letter)
      </button>
      {canDelete && count !== undefined && count > 0 && (
        <>
          <hr />
          <button type="button" className="danger" onClick={onDeleteAll}>
            <Icon name="trash" /> <span>{`Delete all ${count.toLocaleString()}`}</span>
          </button>
        </>
      )}
    </Menu>
  );
}

/** The maximum number of tags in the row. The bottom bar opens all of them. */
const maxChips = 20;
/** The maximum length of a tag, in characters. */
const maxTagLength = 40;

/** Shows the list's order and the tags in a row (on a phone). */
function Chips({ filter }: { readonly filter: PlantFilter }) {
  const { tags, untagged, isCounted } = useCounts();
  const show = (changes: Partial<PlantFilter>) =>
    navigate({ view: 'plants', filter: { ...filter, ...changes } });
  const listed = isCounted ? [...tags.keys()].slice(0, maxChips) : [];
  if (filter.tag !== undefined && !listed.includes(filter.tag)) listed.unshift(filter.tag);
  return (
    <div className="chips">
      <select
        aria-label="Sort"
        className="chip"
        value={filter.order}
        onChange={({ target: { value } }) => {
          if (isOrder(value)) sortList(filter, value);
        }}
      >
        {Object.entries(orderTitles).map(([sortedBy, title]) => (
          <option key={sortedBy} value={sortedBy}>
            {title}
          </option>
        ))}
      </select>
      {(filter.without !== undefined || (untagged ?? 0) > 0) && (
        <button
          type="button"
          className="chip"
          aria-pressed={filter.without !== undefined}
          onClick={() => show({ without: filter.without === undefined ? 'tag' : undefined, tag: undefined })}
        >
          Untagged <span className="count">{untagged?.toLocaleString()}</span>
        </button>
      )}
      {listed.map((tag) => (
        <button
          key={tag}
          type="button"
          className="chip"
          aria-pressed={filter.tag === tag}
          onClick={() => show({ tag: filter.tag === tag ? undefined : tag, without: undefined })}
        >
          <TagDot tag={tag} />
          <span dir="auto" translate="no">
            {toVisible(tag, maxTagLength) || '(empty)'}
          </span>{' '}
          <span className="count">{tags.get(tag)?.toLocaleString()}</span>
        </button>
      ))}
    </div>
  );
}

/** Suggests tags that differ only in case from the current tag or the search text. */
function OtherTags({ filter, hasFewMatches }: Pick<ToolbarProps, 'filter' | 'hasFewMatches'>) {
  const { tags } = useCounts();
  const { q, tag } = filter;
  const byTag = tag === undefined ? [] : findSameTags(tags, tag);
  const bySearch = q === undefined || !hasFewMatches ? [] : findSameTags(tags, q);
  const targets = new Map<string, PlantFilter>([
    ...byTag.map((name) => [name, { ...filter, tag: name }] as const),
    ...bySearch.map((name) => [name, { order: filter.order, tag: name }] as const),
  ]);
  if (tag !== undefined) targets.delete(tag);
  if (targets.size === 0) return null;
  return (
    <div className="suggestions">
      {[...targets].map(([name, target]) => (
        <button
          key={name}
          type="button"
          className="suggestion"
          onClick={() => navigate({ view: 'plants', filter: target })}
        >
          <span>{`Show plants with the ${labelInSentence('tag')}`}</span> <TagDot tag={name} />
          <span dir="auto" translate="no">
            {toVisible(name, maxTagLength)}
          </span>{' '}
          <span className="count" translate="no">
            {tags.get(name)?.toLocaleString()}
          </span>
        </button>
      ))}
    </div>
  );
}
