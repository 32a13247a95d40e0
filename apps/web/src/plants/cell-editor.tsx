import { isEditConflict, saveEdit, startEdit } from '@plant-store/client';
import type { StoredPlant } from '@plant-store/contract/operations';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import type { PlantFilter } from '../route.js';
import { explainFailure } from '../shared/explain-failure.js';
import { labels, mapFields, type TextName } from '../shared/fields.js';
import { notLoaded } from '../shared/load-boundary.js';
import { usePlantStore } from '../shared/plant-store.js';
import { hasSameTexts } from '../shared/texts.js';
import { checkDraft } from './form/draft.js';
import { PlantTexts } from './plant-text.js';
import { TagInput } from './tag-input.js';
import { useShowPlant } from './use-edit.js';
import './cell-editor.css';

/** Where editing continues. `stay`, `cancel`, and `leave` end it; `leave` does not move the focus. */
export type CellMove = 'stay' | 'cancel' | 'leave' | 'next' | 'previous' | 'up' | 'down';

interface CellEditorProps {
  /** The plant as the list shows it. Saving fails if it has changed since. */
  readonly plant: StoredPlant;
  readonly name: TextName;
  readonly filter: PlantFilter;
  onLeave(move: CellMove): void;
}

const moves: Readonly<Record<string, CellMove>> = {
  Enter: 'stay',
  Tab: 'next',
  ArrowUp: 'up',
  ArrowDown: 'down',
};

/** Edits a text of a plant in its cell. Leaving the field saves, and Escape restores the previous text. */
export function CellEditor({ plant, name, filter, onLeave }: CellEditorProps) {
  const { client, rejectToken } = usePlantStore();
  const { show, showSaved } = useShowPlant(filter);
  // The plant that the person saw when the edit began.
  const [seen] = useState(plant);
  const [text, setText] = useState(plant[name] ?? '');
  const [problem, setProblem] = useState<string>();
  /** The plant after someone else's change, and its `ETag`. */
  const [theirs, setTheirs] = useState<ReturnType<typeof startEdit>>();
  const [isSaving, setSaving] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const hint = useId();
  useEffect(() => {
    input.current?.focus({ preventScroll: true });
    input.current?.select();
  }, []);

  const save = async (move: CellMove, base = theirs) => {
    const { plant: current } = base ?? { plant: seen };
    if (isSaving) return;
    if (text === (current[name] ?? '')) return base === undefined ? onLeave(move) : keepTheirs();
    setSaving(true);
    setProblem(undefined);
    try {
      const typed = mapFields((field) => String(field === name ? text : (current[field] ?? '')));
      const { plant: checked, problems } = await checkDraft({ ...typed, id: `${seen.id}` }, seen).catch(
        () => {
          throw new Error(notLoaded);
        },
      );
      if (checked === undefined) return setProblem(problems[name] ?? 'This value is not valid.');
      const edit = base ?? startEdit(await client.getPlant({ params: { id: seen.id } }));
      if (base === undefined && !hasSameTexts(edit.plant, seen)) return setTheirs(edit);
      const saved = await saveEdit(client, edit, { [name]: checked[name] });
      const before = { ...seen, ...edit.plant, id: seen.id };
      showSaved(saved, { label: `${labels[name]} edited`, before });
      onLeave(move);
    } catch (error) {
      if (isEditConflict(error)) return setTheirs(error.current);
      const { about, message } = explainFailure(error, 'change');
      if (about === 'token') rejectToken(message);
      setProblem(`Not saved. Your text is still here. ${message}`);
    } finally {
      setSaving(false);
    }
  };
  const keepTheirs = () => {
    if (theirs !== undefined) show({ ...seen, ...theirs.plant, id: seen.id });
    onLeave('cancel');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    const move = event.key === 'Tab' && event.shiftKey ? 'previous' : moves[event.key];
    if (event.nativeEvent.isComposing || event.defaultPrevented) return;
    if (event.key === 'Escape') {
      event.preventDefault();
      if (theirs === undefined) onLeave('cancel');
      else keepTheirs();
    } else if (move !== undefined && theirs === undefined) {
      event.preventDefault();
      void save(move);
    }
  };
  const Input = name === 'tag' ? TagInput : 'input';
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles the keys of its field, and keeps clicks from the row
    <div
      className="cell-editor"
      onKeyDown={onKeyDown}
      onClick={(event) => event.stopPropagation()}
      onDoubleClick={(event) => event.stopPropagation()}
      onBlur={({ relatedTarget, currentTarget }) => {
        const isInside = relatedTarget instanceof Node && currentTarget.contains(relatedTarget);
        if (!isInside && theirs === undefined && problem === undefined) void save('leave');
      }}
    >
      <Input
        ref={input}
        aria-label={labels[name]}
        aria-describedby={hint}
        aria-invalid={problem !== undefined}
        value={text}
        readOnly={isSaving}
        dir="auto"
        autoComplete="off"
        spellCheck={false}
        onChange={(event: { readonly target: { readonly value: string } }) => setText(event.target.value)}
      />
      <span id={hint} className="cell-hint">
        <span>
          <kbd>Enter</kbd> saves
        </span>
        <span>
          <kbd>Esc</kbd> cancels
        </span>
      </span>
      {problem !== undefined && (
        <div className="cell-message problem">
          <p role="alert">{problem}</p>
        </div>
      )}
      {theirs !== undefined && (
        <div className="cell-message">
          <p role="alert">
            <span>Someone changed this plant while you were editing. The current version is:</span>
            <PlantTexts plant={theirs.plant} />
          </p>
          <div className="submit-row">
            <button type="button" onClick={keepTheirs}>
              Keep theirs
            </button>
            <button type="button" className="primary" onClick={() => void save('stay')}>
              Save mine
            </button>
          </div>
        </div>
      )}
    </div>
  );
}
