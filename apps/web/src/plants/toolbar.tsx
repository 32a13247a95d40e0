import { QUERY_MAX_LENGTHS } from '@plant-store/contract/messages';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { isOrder, navigate, orderTitles, type PlantFilter } from '../route.js';
import { explainFailure } from '../shared/explain-failure.js';
import { Icon } from '../shared/icon.js';
import { loadPart, notLoaded } from '../shared/load-boundary.js';
import { usePlantStore } from '../shared/plant-store.js';
import type { SavedFile } from '../shared/save-file.js';
import { SavedFileLink } from '../shared/saved-file-link.js';
import { Sheet } from '../shared/sheet.js';
import { toVisible } from '../shared/to-visible.js';
import { narrowScreen, useMedia } from '../shared/use-media.js';
import { withoutLastSpace } from '../shared/without-last-space.js';
import { ExportFormats } from './export-formats.js';
import { readSearchedId } from './read-searched-id.js';
import { TagsButton } from './tags/tags-button.js';
import { findTag, sameTags, useTags } from './use-tags.js';

interface ToolbarProps {
  readonly filter: PlantFilter;
  /** Whether the id that is searched for is that of no plant. */
  readonly isMissing: boolean;
  /** Whether so few plants match that another way to look for them may be meant. */
  readonly areFew: boolean;
  /** Called to print the list. */
  onPrint(): void;
}

/** How long after the last key a search begins, in milliseconds. */
const debounceMs = 200;

/** How many tags are suggested. */
const maxSuggestions = 200;

/** Search and tag, which are in the address, all tags, and the export of what is shown. */
export function Toolbar({ filter, isMissing, areFew, onPrint }: ToolbarProps) {
  const isNarrow = useMedia(narrowScreen);
  const [text, setText] = useState(filter.q ?? '');
  // Back, or a button that shows all plants, may have changed it.
  useEffect(
    () => setText((typed) => (withoutLastSpace(typed) === (filter.q ?? '') ? typed : (filter.q ?? ''))),
    [filter.q],
  );
  const show = (changes: Partial<PlantFilter>) =>
    navigate({ view: 'plants', filter: { ...filter, ...changes } });
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
    // Before it is searched for.
    setText(filter.q ?? '');
    navigate({ view: 'plants', id: `${id}`, filter });
  };
  const filters = (
    <>
      <TagField filter={filter} />
      {/* Elsewhere the titles of the columns sort. */}
      {isNarrow && (
        <label className="labelled">
          <span>Order</span>
          <select
            value={filter.order}
            onChange={({ target: { value } }) => isOrder(value) && show({ order: value })}
          >
            {Object.entries(orderTitles).map(([sortedBy, title]) => (
              <option key={sortedBy} value={sortedBy}>
                {title}
              </option>
            ))}
          </select>
        </label>
      )}
      <button
        type="button"
        aria-pressed={filter.without !== undefined}
        onClick={() => show({ without: filter.without === undefined ? 'tag' : undefined, tag: undefined })}
      >
        Untagged
      </button>
      <TagsButton filter={filter} />
      <ExportMenu filter={filter} />
      <button type="button" onClick={onPrint}>
        Print
      </button>
    </>
  );
  return (
    <search>
      <form
        className="toolbar"
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
            placeholder="Search a name, or an id"
            maxLength={QUERY_MAX_LENGTHS.q}
            autoComplete="off"
            autoCapitalize="none"
            autoCorrect="off"
            enterKeyHint="search"
            spellCheck={false}
            dir="auto"
            onChange={(event) => setText(event.target.value)}
          />
        </label>
        {isNarrow ? <FilterSheet>{filters}</FilterSheet> : filters}
        <div className="chips">
          {id !== undefined && !(isMissing && id === readSearchedId(filter.q ?? '')) && (
            <button type="submit" className="chip">
              <span>Open the plant with the id</span> <span translate="no">{`${id}`}</span>
            </button>
          )}
          {filter.tag !== undefined && (isNarrow || filter.tag === '') && (
            <Chip
              title={filter.tag === '' ? 'Tag is empty' : 'Tag is'}
              tag={filter.tag}
              onRemove={() => show({ tag: undefined })}
            />
          )}
          {filter.without !== undefined && isNarrow && (
            <Chip title="Untagged" onRemove={() => show({ without: undefined })} />
          )}
          <OtherTags filter={filter} areFew={areFew} />
        </div>
      </form>
    </search>
  );
}

/** Shows what it holds in a sheet, where there is no room beside the search. */
function FilterSheet({ children }: { readonly children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <Icon name="filters" /> Filters
      </button>
      <Sheet title="Filters and export" isBottom isOpen={isOpen} onClose={() => setOpen(false)}>
        {children}
      </Sheet>
    </>
  );
}

/** Other tags that may be meant: the same in upper or lower case, and the one whose name is searched for. */
function OtherTags({ filter: { q, tag, order: sortedBy }, areFew }: Pick<ToolbarProps, 'filter' | 'areFew'>) {
  const tags = useTags(areFew && q !== undefined);
  const others = [
    ...(tag === undefined ? [] : sameTags(tags, tag)).map((name) => ({
      name,
      filter: { q, tag: name, order: sortedBy },
    })),
    ...(q === undefined || !areFew ? [] : sameTags(tags, q)).map((name) => ({
      name,
      filter: { tag: name, order: sortedBy },
    })),
  ];
  return others
    .filter(({ name }) => name !== tag)
    .map(({ name, filter }) => {
      const count = tags.get(name);
      const isSearched = !('q' in filter);
      return (
        <button
          key={`${isSearched} ${name}`}
          type="button"
          className="chip"
          onClick={() => navigate({ view: 'plants', filter })}
        >
          <span>{isSearched ? 'Show plants with the tag' : 'also'}</span>{' '}
          <span dir="auto" translate="no">
            {toVisible(name, 40)}
          </span>{' '}
          {count !== undefined && <span key={count} translate="no">{`(${count.toLocaleString()})`}</span>}
        </button>
      );
    });
}

interface ChipProps {
  readonly title: string;
  readonly tag?: string;
  onRemove(): void;
}

/** A filter, where its field does not show it. */
function Chip({ title, tag = '', onRemove }: ChipProps) {
  return (
    <button type="button" className="chip" onClick={onRemove}>
      <span>{title}</span> {tag !== '' && <span dir="auto" translate="no">{`“${toVisible(tag, 40)}”`}</span>}{' '}
      <Icon name="close" />
      <span className="visually-hidden">: remove this filter</span>
    </button>
  );
}

/** The tag to filter by, which is looked for while somebody types. */
function TagField({ filter }: { readonly filter: PlantFilter }) {
  /** Until the field is left, which then shows the tag that was found. */
  const [typed, setTyped] = useState<string>();
  const isTyping = typed !== undefined;
  const tags = useTags(isTyping);
  const suggestions = useId();
  const timer = useRef<number>(undefined);
  const apply = () => {
    window.clearTimeout(timer.current);
    timer.current = undefined;
    if (typed === undefined || typed === (filter.tag ?? '')) return;
    const tag = typed.trim() === '' ? undefined : findTag(tags, typed);
    if (tag !== filter.tag)
      navigate({ view: 'plants', filter: { ...filter, tag, without: undefined } }, { replace: true });
  };
  const applyTyped = () => timer.current !== undefined && apply();
  const latest = useRef(apply);
  useEffect(() => {
    latest.current = apply;
  });
  // Also when the tags come after what was typed.
  useEffect(() => {
    if (typed === undefined) return;
    timer.current = window.setTimeout(() => latest.current(), debounceMs);
    return () => window.clearTimeout(timer.current);
  }, [typed, tags]);
  return (
    <label className="labelled">
      <span>Tag</span>
      <input
        type="search"
        list={suggestions}
        value={typed ?? filter.tag ?? ''}
        placeholder="Any"
        maxLength={QUERY_MAX_LENGTHS.tag}
        autoComplete="off"
        autoCapitalize="none"
        autoCorrect="off"
        enterKeyHint="search"
        spellCheck={false}
        dir="auto"
        onFocus={() => setTyped(filter.tag ?? '')}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={() => {
          applyTyped();
          setTyped(undefined);
        }}
        onKeyDown={(event) => {
          // Safari ends the composition before this event, whose code is then that of a key that an input method has handled.
          if (event.key !== 'Enter' || event.nativeEvent.isComposing || event.keyCode === 229) return;
          event.preventDefault();
          applyTyped();
        }}
      />
      <datalist id={suggestions}>
        {[...tags.keys()].slice(0, maxSuggestions).map((tag) => (
          <option key={tag} value={tag} />
        ))}
      </datalist>
    </label>
  );
}

type Export =
  | { readonly state: 'running'; readonly count: number }
  | { readonly state: 'failed'; readonly message: string }
  | { readonly state: 'done'; readonly message: string; readonly file: SavedFile };

/** Writes all plants that match into a file. */
function ExportMenu({ filter }: { readonly filter: PlantFilter }) {
  const { client } = usePlantStore();
  const [state, setState] = useState<Export>();
  const [control, setControl] = useState<AbortController>();
  useEffect(() => () => control?.abort(), [control]);
  const start = async (format: 'csv' | 'ndjson') => {
    const started = new AbortController();
    const { signal } = started;
    setControl(started);
    setState({ state: 'running', count: 0 });
    try {
      const { exportPlants } = await loadPart(() => import('./export-plants.js'));
      const { count, file } = await exportPlants({
        ...{ client, filter, format, signal },
        onProgress: (exported) => setState({ state: 'running', count: exported }),
      });
      setState({ state: 'done', message: `${count.toLocaleString()} exported.`, file });
    } catch (error) {
      if (signal.aborted) return setState(undefined);
      const isNotLoaded = error instanceof Error && error.message === notLoaded;
      const { message } = explainFailure(error, 'read');
      setState({
        state: 'failed',
        message: isNotLoaded ? notLoaded : `The export failed; nothing was saved. ${message}`,
      });
    }
  };
  const isRunning = state?.state === 'running';
  return (
    <div className="export">
      <ExportFormats onExport={(format) => void start(format)} />
      {isRunning && (
        <button type="button" onClick={() => control?.abort()}>
          Cancel
        </button>
      )}
      <p role="status" className="export-status">
        <span>{isRunning ? `${state.count.toLocaleString()} so far` : state?.message}</span>{' '}
        {state?.state === 'done' && <SavedFileLink file={state.file} />}
      </p>
    </div>
  );
}
