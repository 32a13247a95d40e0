import { type ClipboardEvent, type DragEvent, type FormEvent, useId, useRef, useState } from 'react';
import { fieldNames } from '../../shared/fields.js';
import { listFields, requiredTexts } from '../../shared/texts.js';
import { formatCount } from '../format-count.js';
import { maxEditablePaste } from '../session/import-session.js';
import { StepFrame, type StepProps } from './step-frame.js';

/** Asks for a file or pasted lines. */
export function ChooseSource({ session, state }: StepProps) {
  const lead = `Choose a spreadsheet (.xlsx) or a CSV file with one plant per line. The columns can be ${listFields(fieldNames)}. Only ${listFields(requiredTexts)} is required. You can review everything before it is saved.`;
  return (
    <StepFrame step="File" title="Import plants" lead={lead}>
      <FileDrop session={session} />
      <PasteForm session={session} state={state} />
      <p role="alert" className="import-problem">
        {state.problem}
      </p>
    </StepFrame>
  );
}

function FileDrop({ session }: Pick<StepProps, 'session'>) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const readFirst = (files: FileList | null) => {
    const [file, another] = files ?? [];
    if (another !== undefined) session.startOver({ problem: 'Drop one file at a time.' });
    else if (file !== undefined) session.read({ file });
  };
  const isFile = ({ dataTransfer }: DragEvent) => dataTransfer.types.includes('Files');
  const drop = (event: DragEvent) => {
    if (!isFile(event)) return;
    event.preventDefault();
    setOver(false);
    const { files } = event.dataTransfer;
    // A browser can withhold the file, for example if it is within an archive or a policy blocks it.
    if (files.length === 0)
      session.startOver({
        problem: 'Your browser did not share the dropped file. Press Choose file instead.',
      });
    else readFirst(files);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button in it does the same without a pointer
    <div
      className={isOver ? 'import-drop import-drop-over' : 'import-drop'}
      onDragOver={(event) => {
        if (!isFile(event)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <button type="button" className="primary" onClick={() => input.current?.click()}>
        Choose file
      </button>
      <span className="import-hint">or drop it here (up to 100,000 lines)</span>
      <input
        ref={input}
        type="file"
        accept=".xlsx,.xlsm,.csv,.tsv,.tab,.txt,.ndjson,.jsonl,.json,text/csv,text/tab-separated-values"
        aria-label="File with plants"
        hidden
        onChange={(event) => {
          readFirst(event.target.files);
          // Without this, choosing the same file again after editing it would cause no event.
          event.target.value = '';
        }}
      />
    </div>
  );
}

function PasteForm({ session, state: { draft: text } }: StepProps) {
  const hint = useId();
  const isShort = text.length <= maxEditablePaste;
  // A text that becomes too long while the person types stays editable.
  const [isTyped, setTyped] = useState(isShort);
  const isEditable = isTyped || isShort;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== '') session.read({ text });
  };
  const paste = (event: ClipboardEvent<HTMLTextAreaElement>) => {
    const pasted = event.clipboardData.getData('text/plain');
    if (pasted.length <= maxEditablePaste) return;
    event.preventDefault();
    setTyped(false);
    const { selectionStart, selectionEnd } = event.currentTarget;
    session.readPasted(text.slice(0, selectionStart) + pasted + text.slice(selectionEnd));
  };
  return (
    <form className="import-paste" onSubmit={submit}>
      {isEditable ? (
        <label>
          Rows from a spreadsheet
          <textarea
            value={text}
            rows={6}
            autoCapitalize="none"
            autoCorrect="off"
            spellCheck={false}
            aria-describedby={hint}
            onChange={(event) => {
              setTyped(true);
              session.change({ draft: event.target.value });
            }}
            onPaste={paste}
          />
        </label>
      ) : (
        <p>{`Your pasted lines are kept. They have ${formatCount(text.length)} characters, which is too many to edit here.`}</p>
      )}
      <p id={hint} className="import-hint">
        Copy cells from your spreadsheet, and paste them here.
      </p>
      <p className="import-actions">
        <button type="submit">Read lines</button>
        {!isEditable && (
          <button type="button" onClick={() => session.change({ draft: '' })}>
            Discard these lines
          </button>
        )}
      </p>
    </form>
  );
}
