import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { Icon } from './icon.js';
import './sheet.css';

interface SheetProps {
  readonly title: string;
  /** Whether the content brings its own heading and close button. */
  readonly isBare?: boolean;
  /** Whether the browser may translate the title. Set it to false for a name. */
  readonly translate?: boolean;
  /** Whether the sheet is shown. The content stays mounted while the sheet is hidden. */
  readonly isOpen: boolean;
  /** Whether the sheet is on the start side of the page instead of the end side. */
  readonly isStart?: boolean;
  readonly children: ReactNode;
  /** Called when the person presses the close button, Escape, or anything outside the sheet. */
  onClose(): void;
}

/**
 * Shows a modal sheet at the side of the page, or on a phone, over the whole screen. The sheet opens before effects run, so that an effect
 * of the content can move the focus.
 */
export function Sheet({
  title,
  isBare = false,
  translate = true,
  isOpen,
  isStart = false,
  children,
  onClose,
}: SheetProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const { current } = dialog;
    if (!isOpen) return;
    current?.showModal();
    return () => current?.close();
  }, [isOpen]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: for a press outside; the dialog handles Escape
    <dialog
      ref={dialog}
      {...(isBare ? { 'aria-label': title } : { 'aria-labelledby': id })}
      className={isStart ? 'sheet sheet-start' : 'sheet'}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === event.currentTarget) onClose();
      }}
    >
      {isBare ? (
        children
      ) : (
        <div className="sheet-content">
          <header>
            <h2 id={id} translate={translate ? 'yes' : 'no'}>
              {title}
            </h2>
            <button type="button" className="quiet icon-only" onClick={onClose}>
              <Icon name="close" />
              <span className="visually-hidden">Close</span>
            </button>
          </header>
          {children}
        </div>
      )}
    </dialog>
  );
}
