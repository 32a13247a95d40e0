import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';

interface MenuProps {
  /** The label of the button. */
  readonly label: ReactNode;
  readonly className?: string;
  /** Whether the button is only an icon, without a border. */
  readonly isQuiet?: boolean;
  /** Buttons and links. Pressing one closes the menu. */
  readonly children: ReactNode;
}

/** A button that opens a menu. Pressing an item, anything outside, or Escape closes the menu. */
export function Menu({ label, className = '', isQuiet = false, children }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const contains = (target: EventTarget | null) => target instanceof Node && root.current?.contains(target);
  useEffect(() => {
    if (!isOpen) return;
    const onPointerDown = ({ target }: PointerEvent) => !contains(target) && setOpen(false);
    document.addEventListener('pointerdown', onPointerDown);
    return () => document.removeEventListener('pointerdown', onPointerDown);
  }, [isOpen]);
  const close = () => {
    setOpen(false);
    button.current?.focus(); // The focused item is about to be hidden.
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !isOpen) return;
    event.preventDefault(); // Keeps a surrounding sheet open.
    close();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles the keys and the focus of its children
    <div
      ref={root}
      className={`menu ${className}`}
      data-open={isOpen || undefined}
      onKeyDown={onKeyDown}
      onBlur={({ relatedTarget }) => relatedTarget !== null && !contains(relatedTarget) && setOpen(false)}
    >
      <button
        ref={button}
        type="button"
        className={isQuiet ? 'quiet icon-only' : undefined}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        {label}
      </button>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard activates the items in it */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: likewise */}
      <div id={id} className="menu-items" onClick={close}>
        {children}
      </div>
    </div>
  );
}
