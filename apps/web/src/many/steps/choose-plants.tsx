import { type ClipboardEvent, type DragEvent, type FormEvent, useId, useRef, useState } from 'react';
import type { ManySession } from '../session/many-session.js';

/** Pasted texts beyond this go to the worker at once: a text field with as many lines makes the page slow. */
const longPaste = 20_000;

interface ChoosePlantsProps {
  readonly session: ManySession;
  readonly problem: string | undefined;
}

/** Asks for a file or pasted lines. */
export function ChoosePlants({ session, problem }: ChoosePlantsProps) {
  return (
    <div className="many-step">
      <h2>Many plants</h2>
      <p className="many-hint">
        From a spreadsheet or a file: CSV, TSV or NDJSON with an id and a name on each line, and a tag where
        there is one. You see what was read before anything is sent.
      </p>
      <FileDrop onFile={(file) => session.read({ file })} />
      <PasteForm onText={(text) => session.read({ text })} />
      <p role="alert" className="many-problem">
        {problem}
      </p>
    </div>
  );
}

function FileDrop({ onFile }: { onFile(file: File): void }) {
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const take = (files: FileList | null) => {
    const file = files?.[0];
    if (file !== undefined) onFile(file);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer.files);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping needs a pointer; the button in it does the same without
    <div
      className={over ? 'many-drop many-drop-over' : 'many-drop'}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <button type="button" onClick={() => input.current?.click()}>
        Choose file
      </button>
      <span className="many-hint">or drop it here: up to 1,000,000 lines or 100 MiB</span>
      <input
        ref={input}
        type="file"
        accept=".csv,.tsv,.tab,.txt,.ndjson,.jsonl,.json,text/csv,text/tab-separated-values"
        aria-label="File with plants"
        hidden
        onChange={(event) => {
          take(event.target.files);
          // So that the same file can be chosen again after it was corrected.
          event.target.value = '';
        }}
      />
    </div>
  );
}

function PasteForm({ onText }: { onText(text: string): void }) {
  const [text, setText] = useState('');
  const hint = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== '') onText(text);
  };
  const paste = (event: ClipboardEvent) => {
    const pasted = event.clipboardData.getData('text/plain');
    if (pasted.length <= longPaste || text !== '') return;
    event.preventDefault();
    onText(pasted);
  };
  return (
    <form className="many-paste" onSubmit={submit}>
      <label>
        Lines from a spreadsheet
        <textarea
          value={text}
          rows={6}
          spellCheck={false}
          aria-describedby={hint}
          onChange={(event) => setText(event.target.value)}
          onPaste={paste}
        />
      </label>
      <p id={hint} className="many-hint">
        Copy the cells there and paste them here. Many lines open the preview at once.
      </p>
      <button type="submit">Preview lines</button>
    </form>
  );
}
