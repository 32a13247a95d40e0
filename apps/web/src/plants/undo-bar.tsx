import { shorten } from '@plant-store/contract/messages';
import type { Deleted } from './use-deletes.js';

interface UndoBarProps {
  readonly last: Deleted | undefined;
  onUndo(): void;
  onDismiss(): void;
}

/** What was deleted last, and how to undo it; or why one of both failed. */
export function UndoBar({ last, onUndo, onDismiss }: UndoBarProps) {
  const name =
    last === undefined
      ? ''
      : last.plant.name === ''
        ? 'the plant without a name'
        : shorten(last.plant.name, 60);
  return (
    <div className="undo-bar" data-shown={last !== undefined || undefined}>
      <p role="status">
        {last !== undefined && last.failure === undefined && (
          <>
            Deleted {name}, id {`${last.plant.id}`}.
          </>
        )}
      </p>
      {last?.failure !== undefined && (
        <p role="alert" className="problem">
          {name} is not {last.isGone ? 'brought back' : 'deleted'}, or not certainly. {last.failure.cause}
        </p>
      )}
      {last !== undefined && (
        <div className="submit-row">
          {last.isGone && (
            <button type="button" onClick={onUndo}>
              Undo
            </button>
          )}
          <button type="button" onClick={onDismiss}>
            Dismiss
          </button>
        </div>
      )}
    </div>
  );
}
