import { QUERY_MAX_LENGTHS, shorten } from '@plant-store/contract/messages';
import { useEffect, useState } from 'react';
import { navigate, type PlantFilter } from '../route.js';
import { loadPart, notLoaded } from '../shared/load-boundary.js';
import { usePlantStore } from '../shared/plant-store.js';
import { TagSuggestions } from './tag-suggestions.js';
import { TagsButton } from './tags/tags-button.js';

interface ToolbarProps {
  readonly filter: PlantFilter;
}

/** How long after the last key a search begins, in milliseconds. */
const debounceMs = 200;

const isId = (text: string) => /^-?\d{1,19}$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);

/** Search and tag, which are in the address, all tags, and the export of what is shown. */
export function Toolbar({ filter }: ToolbarProps) {
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
          <span>Search</span>
          <input
            type="search"
            value={text}
            placeholder="Part of a name, or an id"
            maxLength={QUERY_MAX_LENGTHS.q}
            autoComplete="off"
            spellCheck={false}
            dir="auto"
            onChange={(event) => setText(event.target.value)}
          />
        </label>
        <TagField filter={filter} onTag={(tag) => show({ tag })} />
        <TagsButton filter={filter} />
        <ExportButtons filter={filter} />
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

function Chip({ label, onRemove }: { readonly label: string; onRemove(): void }) {
  return (
    <button type="button" className="chip" onClick={onRemove}>
      <span dir="auto">{label}</span> <span aria-hidden="true">×</span>
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
    <label>
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
function ExportButtons({ filter }: { readonly filter: PlantFilter }) {
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
    <fieldset className="export">
      <legend>Export</legend>
      <div>
        {isRunning ? (
          <button type="button" onClick={() => control?.abort()}>
            Cancel
          </button>
        ) : (
          <>
            <button type="button" onClick={() => void start('csv')}>
              CSV
            </button>
            <button type="button" onClick={() => void start('ndjson')}>
              NDJSON
            </button>
          </>
        )}
      </div>
      <p role="status" className="note">
        {isRunning ? `${state.count.toLocaleString()} so far` : state?.message}
      </p>
    </fieldset>
  );
}
