import type { StoredPlant } from '@plant-store/contract/operations';
import { type ReactNode, useId } from 'react';
import { Icon } from '../shared/icon.js';
import { toVisible } from '../shared/to-visible.js';
import { useHasScope } from '../shared/use-scopes.js';
import { useUndo } from './undo-provider.js';
import type { Action } from './undo-state.js';

/** The maximum length of a name or tag, in characters. */
const maxNameLength = 60;

/** Shows an action with a button to undo it, or why the action or its undo failed. */
export function UndoItem({ action }: { readonly action: Action }) {
  const { state, failure } = action;
  const { undo, send, dismiss } = useUndo();
  const canEdit = useHasScope('update');
  const text = useId();
  const isBusy = state === 'undoing';
  const canUndo = state === 'waiting' || (canEdit && ['sent', 'done', 'undoing'].includes(state));
  return (
    <div className="undo-item">
      {failure === undefined ? (
        // The same key for both states, so that sending is not announced.
        <p key={state === 'sent' ? 'waiting' : state} id={text}>
          {describeAction(action)}
        </p>
      ) : (
        <p key="failure" id={text} role="alert" className="problem">
          <PlantsName plants={action.plants} /> <span>{`${describeFailure(action)}. ${failure.cause}`}</span>
        </p>
      )}
      <div className="submit-row">
        {canUndo && (
          <button
            type="button"
            aria-describedby={text}
            aria-disabled={isBusy}
            data-busy={isBusy || undefined}
            onClick={() => isBusy || void undo(action)}
          >
            <Icon name="undo" /> Undo
          </button>
        )}
        {state === 'failed' && (
          <button type="button" aria-describedby={text} onClick={() => send(action)}>
            Try again
          </button>
        )}
        <button
          type="button"
          className="icon-only"
          aria-describedby={text}
          aria-label="Dismiss"
          onClick={() => dismiss(action)}
        >
          <Icon name="close" />
        </button>
      </div>
    </div>
  );
}

function describeAction({ plants, state, edit, count }: Action): ReactNode {
  const isOne = plants.length === 1;
  if (edit?.label !== undefined) {
    const { label, after, skippedCount } = edit;
    if (plants.length === 0) return <span>{`${label}.`}</span>;
    if (state !== 'undone') return <Sentence before={`${label}:`} plants={after ? [after] : plants} />;
    return skippedCount === 0 ? (
      <Sentence before="Undone:" plants={plants} />
    ) : (
      <Sentence plants={plants} after="has changed since then, so the edit was not undone." />
    );
  }
  if (edit !== undefined && state === 'undone') {
    const { skippedCount } = edit;
    if (plants.length === 0)
      return (
        <span>{`Nothing was undone, because someone changed ${skippedCount === 1 ? 'the plant' : `the ${skippedCount.toLocaleString()} plants`}.`}</span>
      );
    const skipped = `${skippedCount.toLocaleString()} ${skippedCount === 1 ? 'has' : 'have'} changed since then.`;
    const before = isOne ? 'Restored the tag of' : 'Restored the tags of';
    return <Sentence before={before} plants={plants} after={skippedCount > 0 ? `. ${skipped}` : '.'} />;
  }
  if (edit !== undefined) {
    if (edit.tag === undefined) return <Sentence before="Removed the tag from" plants={plants} after="." />;
    return (
      <>
        <Sentence plants={plants} after="tagged" />{' '}
        <bdi translate="no">{toVisible(edit.tag, maxNameLength)}</bdi>
        <span>.</span>
      </>
    );
  }
  if (state === 'undone') {
    const after = isOne ? 'with a new Added time.' : 'with new Added times.';
    return <Sentence before="Restored" plants={plants} after={after} />;
  }
  if (state === 'undoing') {
    return (
      <>
        <Sentence before="Restoring" plants={plants} />
        {/* Hidden from screen readers, because it changes constantly. */}
        <span aria-hidden>{count === undefined ? '…' : `: ${count.toLocaleString()} so far…`}</span>
      </>
    );
  }
  const isCertain = state === 'done';
  return (
    <>
      <Sentence before={isCertain ? 'Deleted' : 'Deleting'} plants={plants} />
      {isOne && (
        <span>
          , ID <span translate="no">{`${plants[0]?.id}`}</span>
        </span>
      )}
      <span>{isCertain ? '.' : '…'}</span>
    </>
  );
}

interface SentenceProps {
  readonly plants: readonly StoredPlant[];
  readonly before?: string;
  /** Follows the plants, after a space if it begins with a word. */
  readonly after?: string;
}

/** Names plants within a sentence. */
function Sentence({ before, plants, after }: SentenceProps) {
  return (
    <>
      {before !== undefined && <span>{before}</span>}
      {before !== undefined && ' '}
      <PlantsName plants={plants} />
      {after !== undefined && /^\w/.test(after) && ' '}
      {after !== undefined && <span>{after}</span>}
    </>
  );
}

function describeFailure({ state, edit }: Action): string {
  if (edit?.label !== undefined) return 'might still have your edit';
  if (edit !== undefined) return 'might still have your change';
  return `might not be ${state === 'failed' ? 'deleted' : 'restored'}`;
}

/** Names a single plant, or the number of plants. */
function PlantsName({ plants }: { readonly plants: readonly StoredPlant[] }) {
  const [plant, ...others] = plants;
  if (plant === undefined || others.length > 0)
    return <span>{`${plants.length.toLocaleString()} plants`}</span>;
  if (plant.name === '') return <span>the plant without a name</span>;
  return <bdi translate="no">{toVisible(plant.name, maxNameLength)}</bdi>;
}
