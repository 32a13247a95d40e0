import { type Edit, isEditConflict, saveEdit, startEdit } from '@plant-store/client';
import type { StoredPlant } from '@plant-store/contract/operations';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import type { PlantFilter } from '../route.js';
import { explainFailure } from '../shared/explain-failure.js';
import { labels, mapFields, type TextName } from '../shared/fields.js';
import { loadPart } from '../shared/load-boundary.js';
import { usePlantStore } from '../shared/plant-store.js';
import { hasSameTexts } from '../shared/texts.js';
import { checkDraft } from './form/draft.js';
import { PlantTexts } from './plant-text.js';
import { TagInput } from './tag-input.js';
import { useShowPlant } from './use-edit.js';
import './cell-editor.css';

/**
 * What happens after an edit ends. `next`, `previous`, `up`, and `down` edit another cell. `close` focuses the row. `blur` leaves the focus
 * where it is.
 */
export type AfterEdit = 'next' | 'previous' | 'up' | 'down' | 'close' | 'blur';

interface CellEditorProps {
  /** The plant as the list shows it. Saving fails if it has changed since. */
  readonly plant: StoredPlant;
  readonly name: TextName;
  readonly filter: PlantFilter;
  onEnd(after: AfterEdit): void;
}

const afterKey: Readonly<Record<string, AfterEdit>> = {
  Enter: 'close',
  Tab: 'next',
  ArrowUp: 'up',
  ArrowDown: 'down',
};

/** Edits a text of a plant in its cell. Leaving the field saves, and Escape restores the previous text. */
export function CellEditor({ plant, name, filter, onEnd }: CellEditorProps) {
  const { client, rejectToken } = usePlantStore();
  const { show, showSaved } = useShowPlant(filter);
  /** The plant that the person saw when editing began. */
  const [original] = useState(plant);
  const [text, setText] = useState(plant[name] ?? '');
  const [problem, setProblem] = useState<string>();
  /** The plant after someone else's change, and its `ETag`. */
  const [conflict, setConflict] = useState<Edit<StoredPlant>>();
  const [isSaving, setSaving] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const hint = useId();
  useEffect(() => {
    input.current?.focus({ preventScroll: true });
    input.current?.select();
  }, []);

  /** Discards the text. During a conflict, also shows the other version. */
  const discard = () => {
    if (conflict !== undefined) show({ ...original, ...conflict.plant, id: original.id });
    onEnd('close');
  };
  /** Saves the text. During a conflict, overwrites the other version; otherwise shows a conflict if the plant differs from `original`. */
  const save = async (after: AfterEdit) => {
    if (isSaving) return;
    const current = conflict?.plant ?? original;
    if (text === (current[name] ?? '')) return conflict === undefined ? onEnd(after) : discard();
    setSaving(true);
    setProblem(undefined);
    try {
      const typed = mapFields((field) => String(field === name ? text : (current[field] ?? '')));
      // Validation is loaded on demand, and can fail to load.
      const { plant: checked, problems } = await loadPart(() =>
        checkDraft({ ...typed, id: `${original.id}` }, original),
      );
      if (checked === undefined) return setProblem(problems[name] ?? 'This value is not valid.');
      const edit = conflict ?? startEdit(await client.getPlant({ params: { id: original.id } }));
      if (conflict === undefined && !hasSameTexts(edit.plant, original)) return setConflict(edit);
      const saved = await saveEdit(client, edit, { [name]: checked[name] });
      const before = { ...original, ...edit.plant, id: original.id };
      showSaved(saved, { label: `${labels[name]} edited`, before });
      onEnd(after);
    } catch (error) {
      if (isEditConflict(error)) return setConflict(error.current);
      const { about, message } = explainFailure(error, 'change');
      if (about === 'token') rejectToken(message);
      setProblem(`Not saved. Your text is still here. ${message}`);
    } finally {
      setSaving(false);
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    const after = event.key === 'Tab' && event.shiftKey ? 'previous' : afterKey[event.key];
    if (event.nativeEvent.isComposing || event.defaultPrevented) return;
    if (event.key === 'Escape') {
      event.preventDefault();
      discard();
    } else if (after !== undefined && conflict === undefined) {
      event.preventDefault();
      void save(after);
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
        if (!isInside && conflict === undefined && problem === undefined) void save('blur');
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
      {conflict !== undefined && (
        <div className="cell-message">
          <p role="alert">
            <span>Someone changed this plant while you were editing. The current version is:</span>
            <PlantTexts plant={conflict.plant} />
          </p>
          <div className="submit-row">
            <button type="button" onClick={discard}>
              Keep theirs
            </button>
            <button type="button" className="primary" onClick={() => void save('close')}>
              Save mine
            </button>
          </div>
        </div>
      )}
    </div>
  );
}
