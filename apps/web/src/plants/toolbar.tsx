import { QUERY_MAX_LENGTHS, shorten } from '@plant-store/contract/messages';
import { type ReactNode, useEffect, useState } from 'react';
import { navigate, type PlantFilter } from '../route.js';
import { Icon } from '../shared/icon.js';
import { loadPart, notLoaded } from '../shared/load-boundary.js';
import { Menu } from '../shared/menu.js';
import { usePlantStore } from '../shared/plant-store.js';
import { Sheet } from '../shared/sheet.js';
import { narrowScreen, useMedia } from '../shared/use-media.js';
import { TagSuggestions } from './tag-suggestions.js';

interface ToolbarProps {
  readonly filter: PlantFilter;
}

/** How long after the last key a search begins, in milliseconds. */
const debounceMs = 200;

const isId = (text: string) => /^-?\d{1,19}$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);

/** Search, tag, order, and the export of what is shown. Each is in the address. */
export function Toolbar({ filter }: ToolbarProps) {
  const isNarrow = useMedia(narrowScreen);
  const [text, setText] = useState(filter.q ?? '');
  // Back, or a button that shows all plants, may have changed it.
  useEffect(() => setText(filter.q ?? ''), [filter.q]);
  const show = (changes: Partial<PlantFilter>) =>
    navigate({ view: 'plants', filter: { ...filter, ...changes } });
  useEffect(() => {
    if (text === (filter.q ?? '')) return;
    const timer = setTimeout(
      () =>
        navigate(
          { view: 'plants', filter: { ...filter, q: text === '' ? undefined : text } },
          { replace: true },
        ),
      debounceMs,
    );
    return () => clearTimeout(timer);
  }, [text, filter]);
  const id = text.trim();
  const open = () => {
    // Before it is searched for as a part of a name.
    setText(filter.q ?? '');
    navigate({ view: 'plants', id, filter });
  };
  const filters = (
    <>
      <TagField filter={filter} onTag={(tag) => show({ tag })} />
      <label className="labelled">
        <span>Order</span>
        <select
          value={filter.order}
          onChange={(event) => show({ order: event.target.value === 'id' ? 'id' : 'newest' })}
        >
          <option value="newest">Newest first</option>
          <option value="id">By id</option>
        </select>
      </label>
      <ExportMenu filter={filter} />
    </>
  );
  return (
    <search>
      <form
        className="toolbar"
        onSubmit={(event) => {
          event.preventDefault();
          if (isId(id)) open();
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
            spellCheck={false}
            dir="auto"
            onChange={(event) => setText(event.target.value)}
          />
        </label>
        {isNarrow ? <FilterSheet>{filters}</FilterSheet> : filters}
        <div className="chips">
          {isId(id) && (
            <button type="submit" className="chip">
              Open the plant with the id {id}
            </button>
          )}
          {filter.q !== undefined && (
            <Chip label={`Name has “${shorten(filter.q, 40)}”`} onRemove={() => show({ q: undefined })} />
          )}
          {filter.tag !== undefined && (
            <Chip
              label={filter.tag === '' ? 'Tag is empty' : `Tag is “${shorten(filter.tag, 40)}”`}
              onRemove={() => show({ tag: undefined })}
            />
          )}
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

function Chip({ label, onRemove }: { readonly label: string; onRemove(): void }) {
  return (
    <button type="button" className="chip" onClick={onRemove}>
      <span dir="auto">{label}</span> <Icon name="close" />
      <span className="visually-hidden">: remove this filter</span>
    </button>
  );
}

interface TagFieldProps {
  readonly filter: PlantFilter;
  onTag(tag: string): void;
}

/** The tag to filter by. */
function TagField({ filter, onTag }: TagFieldProps) {
  const [text, setText] = useState('');
  const use = (tag: string) => {
    setText('');
    if (tag !== filter.tag) onTag(tag);
  };
  return (
    <label className="labelled">
      <span>Tag</span>
      <input
        list="known-tags"
        value={text}
        placeholder="Any"
        maxLength={QUERY_MAX_LENGTHS.tag}
        autoComplete="off"
        spellCheck={false}
        dir="auto"
        onChange={(event) => {
          const { value } = event.target;
          // One that was selected from the list replaces the text at once.
          if (
            event.nativeEvent instanceof InputEvent &&
            event.nativeEvent.inputType !== 'insertReplacementText'
          )
            setText(value);
          else use(value);
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          if (text !== '') use(text);
        }}
      />
      <TagSuggestions id="known-tags" />
    </label>
  );
}

type Export =
  | { readonly state: 'running'; readonly count: number }
  | { readonly state: 'failed' | 'done'; readonly message: string };

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
      const count = await exportPlants({
        ...{ client, filter, format, signal },
        onProgress: (exported) => setState({ state: 'running', count: exported }),
      });
      setState({ state: 'done', message: `${count.toLocaleString()} exported.` });
    } catch (error) {
      if (signal.aborted) return setState(undefined);
      const isNotLoaded = error instanceof Error && error.message === notLoaded;
      setState({
        state: 'failed',
        message: isNotLoaded ? notLoaded : 'The export failed; nothing was saved. Try again.',
      });
    }
  };
  const isRunning = state?.state === 'running';
  return (
    <div className="export">
      <Menu
        label={
          <>
            Export <Icon name="down" />
          </>
        }
      >
        <button type="button" onClick={() => void start('csv')}>
          CSV (for spreadsheets)
        </button>
        <button type="button" onClick={() => void start('ndjson')}>
          NDJSON (for programs)
        </button>
      </Menu>
      {isRunning && (
        <button type="button" onClick={() => control?.abort()}>
          Cancel
        </button>
      )}
      <p role="status" className="export-status">
        {isRunning ? `${state.count.toLocaleString()} so far` : state?.message}
      </p>
    </div>
  );
}
