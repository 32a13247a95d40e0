import { useEffect, useState } from 'react';
import { Icon } from '../shared/icon.js';

interface CopyButtonProps {
  readonly text: string;
  readonly label: string;
  /** In a table whose rows take the focus, which is not a stop of the Tab key. */
  readonly inTable?: boolean;
}

/** Copies a text to the clipboard, and shows for a moment that it did. */
export function CopyButton({ text, label, inTable = false }: CopyButtonProps) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1_500);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <button
      type="button"
      className="quiet icon-only copy"
      aria-label={label}
      tabIndex={inTable ? -1 : 0}
      onClick={(event) => {
        event.stopPropagation();
        void navigator.clipboard?.writeText(text).then(() => setCopied(true));
      }}
    >
      <Icon name={copied ? 'check' : 'copy'} />
    </button>
  );
}
