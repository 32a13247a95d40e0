import { shorten } from '@plant-store/contract/messages';
import { useId } from 'react';
import { useMay } from '../shared/use-scopes.js';
import type { Deleted } from './use-deletes.js';

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
          key={each.key}
          deleted={each}
          canUndo={each.isGone && (canBringBack || each.plants.some(({ id }) => leaving.has(id)))}
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

function UndoItem({
  deleted: { plants, isBusy, isGone, failure },
  canUndo,
  onUndo,
  onDismiss,
}: UndoItemProps) {
  const text = useId();
  const [plant, ...others] = plants;
  const name =
    others.length > 0 ? (
      <span>{`${plants.length.toLocaleString()} plants`}</span>
    ) : plant === undefined || plant.name === '' ? (
      <span>the plant without a name</span>
    ) : (
      <bdi translate="no">{shorten(plant.name, 60)}</bdi>
    );
  return (
    <div className="undo-item">
      {failure === undefined ? (
        <p key="deleted" id={text}>
          <span>Deleted</span> {name}
          {others.length === 0 && (
            <span>
              , id <span translate="no">{`${plant?.id}`}</span>
            </span>
          )}
          <span>.</span>
        </p>
      ) : (
        <p key="failure" id={text} role="alert" className="problem">
          {name}{' '}
          <span>{`${others.length > 0 ? 'are' : 'is'} not ${isGone ? 'brought back' : 'deleted'}, or not certainly. ${failure.cause}`}</span>
        </p>
      )}
      <div className="submit-row">
        {canUndo && (
          <button
            type="button"
            aria-describedby={text}
            aria-disabled={isBusy}
            data-busy={isBusy || undefined}
            onClick={() => isBusy || onUndo()}
          >
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
