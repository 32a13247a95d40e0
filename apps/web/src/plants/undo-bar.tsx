import { shorten } from '@plant-store/contract/messages';
import { useId } from 'react';
import { useMay } from '../shared/use-scopes.js';
import type { Deleted } from './use-deletes.js';
import './undo-bar.css';

interface UndoBarProps {
  /** The latest first. */
  readonly deleted: readonly Deleted[];
  /** Those of which nothing was sent yet, or no reply is there. */
  readonly leaving: ReadonlySet<bigint>;
  onUndo(deleted: Deleted): void;
  onDismiss(deleted: Deleted): void;
}

/** What was deleted last, and how to undo each; or why one of both failed. */
export function UndoBar({ deleted, leaving, onUndo, onDismiss }: UndoBarProps) {
  const canBringBack = useMay('correct');
  return (
    // Only what is added to it is announced, not all of it again.
    <div role="status" aria-atomic="false" className="undo-bar" data-shown={deleted.length > 0 || undefined}>
      {deleted.map((each) => (
        <UndoItem
          key={`${each.plant.id}`}
          deleted={each}
          canUndo={each.isGone && (canBringBack || leaving.has(each.plant.id))}
          onUndo={() => onUndo(each)}
          onDismiss={() => onDismiss(each)}
        />
      ))}
    </div>
  );
}

interface UndoItemProps {
  readonly deleted: Deleted;
  readonly canUndo: boolean;
  onUndo(): void;
  onDismiss(): void;
}

function UndoItem({ deleted: { plant, isGone, failure }, canUndo, onUndo, onDismiss }: UndoItemProps) {
  const text = useId();
  const name =
    plant.name === '' ? (
      <span>the plant without a name</span>
    ) : (
      <bdi translate="no">{shorten(plant.name, 60)}</bdi>
    );
  return (
    <div className="undo-item">
      {failure === undefined ? (
        <p key="deleted" id={text}>
          Deleted {name}, id <span translate="no">{`${plant.id}`}</span>.
        </p>
      ) : (
        <p key="failure" id={text} role="alert" className="problem">
          {name}{' '}
          <span>{`is not ${isGone ? 'brought back' : 'deleted'}, or not certainly. ${failure.cause}`}</span>
        </p>
      )}
      <div className="submit-row">
        {canUndo && (
          <button type="button" aria-describedby={text} onClick={onUndo}>
            Undo
          </button>
        )}
        <button type="button" aria-describedby={text} onClick={onDismiss}>
          Dismiss
        </button>
      </div>
    </div>
  );
}
