import { shorten } from '../shared/shorten.js';
import { Sprig } from '../shared/sprig.js';
import { type AddedPlant, isConfirmed, maxAdded } from './added-plants.js';

const states: Readonly<Record<AddedPlant['state'], string>> = {
  sending: 'adding',
  stored: 'stored',
  present: 'was there already',
  rejected: 'rejected',
  unconfirmed: 'not confirmed',
};

interface AddedListProps {
  readonly added: readonly AddedPlant[];
  /** The plant whose result the form shows, so that the list only names it. */
  readonly shownKey: number | undefined;
  readonly pending: boolean;
  onRetry(plant: AddedPlant): void;
}

/** What was added in this tab, newest first. */
export function AddedList({ added, shownKey, pending, onRetry }: AddedListProps) {
  return (
    <section aria-labelledby="added-heading" className="added">
      <h2 id="added-heading">Added in this tab</h2>
      {added.length === 0 ? (
        <div className="empty">
          <Sprig />
          <p>Nothing yet. What you add is listed here, newest first.</p>
        </div>
      ) : (
        <ol reversed className="added-list">
          {added.map((plant) => (
            <AddedItem
              key={plant.key}
              plant={plant}
              explained={plant.key !== shownKey}
              pending={pending}
              onRetry={onRetry}
            />
          ))}
        </ol>
      )}
      {added.length === maxAdded && <p className="note">Only the newest {maxAdded} are listed.</p>}
    </section>
  );
}

interface AddedItemProps {
  readonly plant: AddedPlant;
  /** Whether to say why it is not stored, and to offer another try. */
  readonly explained: boolean;
  readonly pending: boolean;
  onRetry(plant: AddedPlant): void;
}

function AddedItem({ plant, explained, pending, onRetry }: AddedItemProps) {
  const { id, name, tag, state, reason, at } = plant;
  const time = new Date(at);
  return (
    <li className="added-item">
      <p className={`state ${state}`}>{states[state]}</p>
      <time dateTime={time.toISOString()}>{time.toLocaleTimeString()}</time>
      <p className="added-name">
        <strong>{shorten(name)}</strong>
        {tag !== undefined && <span className="tag">{shorten(tag)}</span>}
      </p>
      <p className="added-id">
        <span className="visually-hidden">Id </span>
        {id}
      </p>
      {explained && !isConfirmed(plant) && reason !== undefined && <p className="added-reason">{reason}</p>}
      {explained && state === 'unconfirmed' && (
        <button type="button" aria-disabled={pending} onClick={() => pending || onRetry(plant)}>
          Try again<span className="visually-hidden">: {shorten(name)}</span>
        </button>
      )}
    </li>
  );
}
