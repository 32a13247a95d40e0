import { type ReactNode, useEffect, useId, useRef } from 'react';
import './sheet.css';

interface SheetProps {
  readonly title: string;
  readonly children: ReactNode;
  /** Called when it is closed by its button, by Escape, or by a press beside it. */
  onClose(): void;
}

/** A sheet at the side, over everything else, which cannot be used meanwhile; on a phone it fills the screen. */
export function Sheet({ title, children, onClose }: SheetProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const { current } = dialog;
    current?.showModal();
    return () => current?.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a press beside it; the key for that is Escape, by the dialog itself
    <dialog
      ref={dialog}
      aria-labelledby={id}
      className="sheet"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === event.currentTarget) onClose();
      }}
    >
      <div className="sheet-content">
        <header>
          <h2 id={id}>{title}</h2>
          <button type="button" className="quiet" onClick={onClose}>
            Close
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
