import { useEffect, useId, useRef } from 'react';
import { type PlantFilter, titleOf } from '../route.js';
import './dialog.css';

interface DeleteAllDialogProps {
  readonly filter: PlantFilter;
  readonly count: number;
  onDelete(): void;
  onClose(): void;
}

/** Asks before all plants in the list are deleted, including those that are not loaded. */
export function DeleteAllDialog({ filter, count, onDelete, onClose }: DeleteAllDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const keep = useRef<HTMLButtonElement>(null);
  const title = useId();
  const number = `${count.toLocaleString()} ${count === 1 ? 'plant' : 'plants'}`;
  useEffect(() => {
    const { current } = dialog;
    current?.showModal();
    // Enter must not delete.
    keep.current?.focus();
    return () => current?.close();
  }, []);
  return (
    <dialog ref={dialog} className="dialog" aria-labelledby={title} onCancel={onClose}>
      <h2 id={title}>{`Delete ${number}?`}</h2>
      <p>
        <span>This deletes all plants in the list</span> <bdi translate="no">{`“${titleOf(filter)}”.`}</bdi>{' '}
        <span>You can undo it while this page is open.</span>
      </p>
      <div className="submit-row">
        <button ref={keep} type="button" onClick={onClose}>
          Keep them
        </button>
        <button type="button" className="solid-danger" onClick={onDelete}>
          {`Delete ${number}`}
        </button>
      </div>
    </dialog>
  );
}
