import type { StoredPlant } from '@plant-store/contract/operations';
import { type ReactNode, useId } from 'react';
import { Icon } from '../shared/icon.js';
import { toVisible } from '../shared/to-visible.js';
import { useMay } from '../shared/use-scopes.js';
import { useUndo } from './undo-provider.js';
import type { Action } from './undo-state.js';

/** What was done, and how to undo it; or why one of both failed. */
export function UndoItem({ action }: { readonly action: Action }) {
  const { state, failure } = action;
  const { undo, send, dismiss } = useUndo();
  const canEdit = useMay('update');
  const text = useId();
  const isBusy = state === 'undoing';
  const canUndo = state === 'waiting' || (canEdit && ['sent', 'done', 'undoing'].includes(state));
  return (
    <div className="undo-item">
      {failure === undefined ? (
        // Whether it was sent makes no difference to who reads it.
        <p key={state === 'sent' ? 'waiting' : state} id={text}>
          {describe(action)}
        </p>
      ) : (
        <p key="failure" id={text} role="alert" className="problem">
          <Named plants={action.plants} />{' '}
          <span>{`${describeFailure(action)}, or not certainly. ${failure.cause}`}</span>
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

function describe({ plants, state, edit, count }: Action): ReactNode {
  const name = <Named plants={plants} />;
  const isOne = plants.length === 1;
  if (edit !== undefined) {
    const { tag, label, kept } = edit;
    if (label !== undefined && plants.length === 0) return <span>{`${label}.`}</span>;
    if (label !== undefined && (state !== 'undone' || kept === 0)) {
      return state === 'undone' || edit.after === undefined ? (
        <>
          <span>{state === 'undone' ? 'Undone:' : `${label}:`}</span> {name}
        </>
      ) : (
        <>
          <span>{`${label}:`}</span> <Named plants={[edit.after]} />
        </>
      );
    }
    if (label !== undefined) {
      return (
        <>
          {name} <span>was changed since, and stays as it is.</span>
        </>
      );
    }
    if (state === 'undone' && plants.length === 0)
      return (
        <span>{`Nothing was undone: others changed ${kept === 1 ? 'the plant' : `the ${kept.toLocaleString()} plants`} since.`}</span>
      );
    if (state === 'undone') {
      const left = `${kept.toLocaleString()} ${kept === 1 ? 'was changed since, and stays' : 'were changed since, and stay'}.`;
      return (
        <>
          {name}{' '}
          <span>{`${isOne ? 'has its tag as before.' : 'have their tags as before.'}${kept > 0 ? ` ${left}` : ''}`}</span>
        </>
      );
    }
    return tag === undefined ? (
      <>
        <span>Removed the tag of</span> {name}
        <span>.</span>
      </>
    ) : (
      <>
        {name} <span>tagged</span> <bdi translate="no">{toVisible(tag, 60)}</bdi>
        <span>.</span>
      </>
    );
  }
  if (state === 'undone') {
    return (
      <>
        <span>Brought back</span> {name}
        <span>{isOne ? ', with a new time in Added.' : ', with new times in Added.'}</span>
      </>
    );
  }
  if (state === 'undoing') {
    return (
      <>
        <span>Bringing back</span> {name}
        {/* Not announced: it changes all the time. */}
        <span aria-hidden>{count === undefined ? '…' : `: ${count.toLocaleString()} so far…`}</span>
      </>
    );
  }
  const isCertain = state === 'done';
  return (
    <>
      <span>{isCertain ? 'Deleted' : 'Deleting'}</span> {name}
      {isOne && (
        <span>
          , id <span translate="no">{`${plants[0]?.id}`}</span>
        </span>
      )}
      <span>{isCertain ? '.' : '…'}</span>
    </>
  );
}

function describeFailure({ plants, state, edit }: Action): string {
  const isOne = plants.length === 1;
  if (edit?.label !== undefined) return 'is not as it was before';
  if (edit !== undefined)
    return isOne ? 'does not have its tag as before' : 'do not have their tags as before';
  return `${isOne ? 'is' : 'are'} not ${state === 'failed' ? 'deleted' : 'brought back'}`;
}

/** A plant by its name, others by their number. */
function Named({ plants }: { readonly plants: readonly StoredPlant[] }) {
  const [plant, ...others] = plants;
  if (plant === undefined || others.length > 0)
    return <span>{`${plants.length.toLocaleString()} plants`}</span>;
  if (plant.name === '') return <span>the plant without a name</span>;
  return <bdi translate="no">{toVisible(plant.name, 60)}</bdi>;
}
