import { type ClipboardEvent, type DragEvent, type FormEvent, useId, useRef, useState } from 'react';
import { fieldNames } from '../../shared/fields.js';
import { listFields, requiredTexts } from '../../shared/texts.js';
import { formatCount } from '../format-count.js';
import { type ImportSession, longPaste } from '../session/import-session.js';
import type { Draft, ImportState } from '../session/import-state.js';
import { StepHeading } from './step-heading.js';

interface ChooseSourceProps {
  readonly session: ImportSession;
  readonly state: ImportState;
}

/** Asks for a file or pasted lines. */
export function ChooseSource({ session, state }: ChooseSourceProps) {
  return (
    <div className="import-step">
      <StepHeading>Import</StepHeading>
      <p className="import-hint">
        {`From a spreadsheet that Excel or LibreOffice has saved as .xlsx, or a CSV file, with a plant on each line: its ${listFields(fieldNames)}. A spreadsheet needs only the ${listFields(requiredTexts)}, since ids can be generated here. Programs may write NDJSON, which needs the id, too. You see what was read before anything is sent.`}
      </p>
      <FileDrop session={session} />
      <PasteForm session={session} draft={state.draft} />
      <p role="alert" className="import-problem">
        {state.problem}
      </p>
    </div>
  );
}

function FileDrop({ session }: { readonly session: ImportSession }) {
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const take = (files: FileList | null) => {
    const [file, another] = files ?? [];
    if (another !== undefined) session.reject('Drop one file at a time.');
    else if (file !== undefined) session.read({ file });
  };
  const isFile = ({ dataTransfer }: DragEvent) => dataTransfer.types.includes('Files');
  const drop = (event: DragEvent) => {
    if (!isFile(event)) return;
    event.preventDefault();
    setOver(false);
    const { files } = event.dataTransfer;
    // Such as from an archive, or where a rule of the organization forbids it.
    if (files.length === 0)
      session.reject('The browser does not hand over what was dropped. Press Choose file.');
    else take(files);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping needs a pointer; the button in it does the same without
    <div
      className={over ? 'import-drop import-drop-over' : 'import-drop'}
      onDragOver={(event) => {
        if (!isFile(event)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <button type="button" onClick={() => input.current?.click()}>
        Choose file
      </button>
      <span className="import-hint">or drop it here: up to 1,000,000 lines or 100 MiB</span>
      <input
        ref={input}
        type="file"
        accept=".xlsx,.csv,.tsv,.tab,.txt,.ndjson,.jsonl,.json,text/csv,text/tab-separated-values"
        aria-label="File with plants"
        hidden
        onChange={(event) => {
          take(event.target.files);
          // So that the same file can be chosen again after it was fixed.
          event.target.value = '';
        }}
      />
    </div>
  );
}

function PasteForm({ session, draft }: { readonly session: ImportSession; readonly draft: Draft }) {
  const hint = useId();
  const { text } = draft;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== '') session.read({ text });
  };
  const paste = (event: ClipboardEvent<HTMLTextAreaElement>) => {
    const pasted = event.clipboardData.getData('text/plain');
    if (pasted.length <= longPaste) return;
    event.preventDefault();
    const { selectionStart, selectionEnd } = event.currentTarget;
    session.readPasted(text.slice(0, selectionStart) + pasted + text.slice(selectionEnd));
  };
  return (
    <form className="import-paste" onSubmit={submit}>
      {draft.editable ? (
        <label>
          Lines from a spreadsheet
          <textarea
            value={text}
            rows={6}
            autoCapitalize="none"
            autoCorrect="off"
            spellCheck={false}
            aria-describedby={hint}
            onChange={(event) => session.keepDraft({ text: event.target.value, editable: true })}
            onPaste={paste}
          />
        </label>
      ) : (
        <p>{`The pasted lines are kept: ${formatCount(text.length)} characters, too many to edit here.`}</p>
      )}
      <p id={hint} className="import-hint">
        Copy the cells there and paste them here. Many lines are read at once.
      </p>
      <p className="import-actions">
        <button type="submit">Read lines</button>
        {!draft.editable && (
          <button type="button" onClick={() => session.keepDraft({ text: '', editable: true })}>
            Discard these lines
          </button>
        )}
      </p>
    </form>
  );
}
