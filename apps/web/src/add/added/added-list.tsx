import { PlantTexts } from '../../plants/plant-text.js';
import { toVisible } from '../../shared/to-visible.js';
import { type AddedPlant, isUnfinished, maxAdded } from './added-plants.js';

const stateLabels: Readonly<Record<AddedPlant['state'], string>> = {
  sending: 'adding',
  stored: 'stored',
  present: 'already stored',
  rejected: 'rejected',
  not_added: 'not added yet',
  unconfirmed: 'not confirmed',
};

interface AddedListProps {
  readonly added: readonly AddedPlant[];
  /** The key of the plant that the form already offers to retry. The list shows no button for that plant. */
  readonly offeredKey: number | undefined;
  readonly isPending: boolean;
  onRetry(plant: AddedPlant): void;
}

/** Lists the plants that were added in this tab, newest first. Renders nothing if there are none. */
export function AddedList({ added, offeredKey, isPending, onRetry }: AddedListProps) {
  if (added.length === 0) return null;
  return (
    <section aria-labelledby="added-heading" className="added">
      <h3 id="added-heading">Added in this tab</h3>
      <ol reversed className="added-list">
        {added.map((plant) => {
          const { key, id, name, state, reason, at } = plant;
          const time = new Date(at);
          return (
            <li key={key} className="added-item">
              <p className={`state ${state}`}>{stateLabels[state]}</p>
              <time dateTime={time.toISOString()}>{time.toLocaleTimeString()}</time>
              <p className="added-name">
                <PlantTexts plant={plant} />
              </p>
              <p className="added-id">
                <span className="visually-hidden">ID </span>
                <span translate="no">{id}</span>
              </p>
              {reason !== undefined && <p className="added-reason">{reason}</p>}
              {key !== offeredKey && isUnfinished(plant) && (
                <button type="button" aria-disabled={isPending} onClick={() => isPending || onRetry(plant)}>
                  Try again<span className="visually-hidden" translate="no">{`: ${toVisible(name)}`}</span>
                </button>
              )}
            </li>
          );
        })}
      </ol>
      {added.length === maxAdded && (
        <p className="note">{`Only the newest ${maxAdded} plants are listed.`}</p>
      )}
    </section>
  );
}
