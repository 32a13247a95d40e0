import type { Plant } from '@plant-store/contract/operations';
import { useInfiniteQuery } from '@tanstack/react-query';
import { explainFailure } from '../shared/explain-failure.js';
import { labels, type TextName, textNames } from '../shared/fields.js';
import { Icon } from '../shared/icon.js';
import { usePlantStore } from '../shared/plant-store.js';
import { TextChange } from '../shared/text-change.js';
import { pickTexts } from '../shared/texts.js';
import { toVisible } from '../shared/to-visible.js';
import { formatMinute } from './format-time.js';
import { Tag } from './tag.js';

/** The number of states per request. */
const pageSize = 20;
/** The maximum lengths of shown texts, in characters. */
const maxLabelLength = 80;
const maxTagLength = 60;
const maxNameLength = 300;

interface PlantHistoryProps {
  readonly id: bigint;
  /** The current plant. */
  readonly plant: Plant;
  /** Called with the state to restore. `undefined` if the token does not permit updates, or while an update is in flight. */
  readonly onRestore: ((plant: Plant) => void) | undefined;
}

/** Shows a plant's changes, latest first, with buttons to restore earlier states. */
export function PlantHistory(props: PlantHistoryProps) {
  return (
    <section aria-label="History" className="plant-history">
      <h3>History</h3>
      {/* Loads the history again when the plant changes. */}
      <States key={JSON.stringify(pickTexts(props.plant))} {...props} />
    </section>
  );
}

function States({ id, onRestore }: PlantHistoryProps) {
  const { getPlantHistory } = usePlantStore().operations;
  const { data, error, hasNextPage, isFetching, fetchNextPage } = useInfiniteQuery({
    ...getPlantHistory.infiniteQueryOptions({ params: { id }, query: { limit: pageSize } }),
    networkMode: 'always',
    retry: false,
  });
  const states = data?.pages.flatMap((page) => page.states) ?? [];
  return (
    <>
      {data === undefined && error === null && <p className="note">Loading…</p>}
      <ol>
        {states.map(({ from, by, ...state }, index) => {
          const before = states[index + 1];
          // The state before the earliest loaded one is not known yet.
          if (before === undefined && hasNextPage) return null;
          const changed =
            before === undefined ? [] : textNames.filter((name) => state[name] !== before[name]);
          return (
            <li key={`${from} ${index}`}>
              <Icon name={before === undefined ? 'add' : changed[0] === 'tag' ? 'tag' : 'edit'} />
              <p>{describeChange(changed, before === undefined)}</p>
              {before !== undefined && onRestore !== undefined && changed.length > 0 && (
                <button
                  type="button"
                  className="quiet link"
                  aria-label={`Restore ${toVisible(before.name, maxLabelLength) || '(no name)'}`}
                  title="Restore the plant to its state before this change"
                  onClick={() => onRestore(before)}
                >
                  Restore
                </button>
              )}
              {before !== undefined &&
                changed.map((name) => (
                  <FieldChange key={name} name={name} before={before[name] ?? ''} after={state[name] ?? ''} />
                ))}
              <p className="note">
                {by !== undefined && `${by} · `}
                {from === undefined ? 'at an unknown time' : formatMinute(from)}
              </p>
            </li>
          );
        })}
      </ol>
      {error !== null && (
        <p role="alert" className="message problem">
          {explainFailure(error, 'read').message}
        </p>
      )}
      {hasNextPage && (
        <button type="button" onClick={() => isFetching || void fetchNextPage()}>
          Show more
        </button>
      )}
    </>
  );
}

/** Describes a change, such as "Name and tag edited". */
function describeChange(changed: readonly TextName[], isFirst: boolean): string {
  if (isFirst) return 'Added';
  const names = changed.map((name, index) => (index === 0 ? labels[name] : labels[name].toLowerCase()));
  return `${new Intl.ListFormat('en').format(names)} edited`;
}

interface FieldChangeProps {
  readonly name: TextName;
  readonly before: string;
  readonly after: string;
}

function FieldChange({ name, before, after }: FieldChangeProps) {
  if (name === 'tag') {
    return (
      <p className="tag-change">
        {before === '' ? <span className="note">none</span> : <Tag tag={before} maxLength={maxTagLength} />}
        <Icon name="right" />
        <span className="visually-hidden">to</span>
        {after === '' ? <span className="note">none</span> : <Tag tag={after} maxLength={maxTagLength} />}
      </p>
    );
  }
  return (
    <p className="text-change" dir="auto" translate="no">
      <TextChange
        before={toVisible(before, maxNameLength)}
        after={toVisible(after, maxNameLength)}
        labels={['Before:', 'After:']}
      />
    </p>
  );
}
