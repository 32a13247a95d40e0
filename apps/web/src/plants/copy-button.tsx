import { useEffect, useState } from 'react';
import { Icon } from '../shared/icon.js';
import './copy-button.css';

interface CopyButtonProps {
  readonly text: string;
  readonly label: string;
  /** Whether the button is in a table, where only rows are in the tab order. */
  readonly inTable?: boolean;
}

/** How long the confirmation is shown. */
const confirmationMs = 1_500;

/** Copies a text to the clipboard, and briefly confirms it. If the browser refuses, shows the text for copying with the keyboard. */
export function CopyButton({ text, label, inTable = false }: CopyButtonProps) {
  const [state, setState] = useState<'copied' | 'refused'>();
  useEffect(() => {
    if (state !== 'copied') return;
    const timer = setTimeout(() => setState(undefined), confirmationMs);
    return () => clearTimeout(timer);
  }, [state]);
  if (state === 'refused') return <CopyByHand text={text} onDone={() => setState(undefined)} />;
  return (
    <button
      type="button"
      className="quiet icon-only copy"
      aria-label={state === 'copied' ? 'Copied' : label}
      tabIndex={inTable ? -1 : 0}
      onClick={(event) => {
        event.stopPropagation();
        void copyText(text, event.currentTarget).then((isCopied) =>
          setState(isCopied ? 'copied' : 'refused'),
        );
      }}
    >
      <Icon name={state === 'copied' ? 'check' : 'copy'} />
      {state === 'copied' && <span className="visually-hidden">Copied</span>}
    </button>
  );
}

/** Shows the text, selected, until it loses the focus. */
function CopyByHand({ text, onDone }: { readonly text: string; onDone(): void }) {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keeps clicks from the row
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above
    <span className="copy-by-hand" onClick={(event) => event.stopPropagation()}>
      <textarea
        ref={focusAndSelect}
        aria-label="Your browser blocked copying. Press Ctrl+C, or ⌘C on a Mac."
        readOnly
        rows={1}
        value={text}
        onBlur={onDone}
      />
      <span role="alert">Your browser blocked copying. Press Ctrl+C.</span>
    </span>
  );
}

function focusAndSelect(field: HTMLTextAreaElement | null): void {
  field?.focus({ preventScroll: true });
  field?.select();
}

/**
 * Copies a text with the clipboard API, or if it refuses or is missing (without HTTPS), with a copy command.
 *
 * @param button where the copy command temporarily adds a field, because in a dialog, only elements of the dialog can take the focus
 * @returns whether the text was copied
 */
async function copyText(text: string, button: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text, button);
  }
}

function copyBySelection(text: string, button: HTMLElement): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  field.readOnly = true;
  field.className = 'visually-hidden';
  button.after(field);
  field.focus({ preventScroll: true });
  field.select();
  try {
    return document.execCommand('copy');
  } catch {
    return false;
  } finally {
    field.remove();
    button.focus({ preventScroll: true });
  }
}
