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

interface PlantHistoryProps {
  readonly id: bigint;
  /** The current plant. */
  readonly plant: Plant;
  /** `undefined` if the token may not update, or while an update is sent. */
  readonly onRestore: ((plant: Plant) => void) | undefined;
}

/** The changes of a plant, latest first, with buttons that restore earlier states. */
export function PlantHistory(props: PlantHistoryProps) {
  return (
    <section aria-label="History" className="plant-history">
      <h3>History</h3>
      {/* A new state of the plant adds one to the history. */}
      <States key={JSON.stringify(pickTexts(props.plant))} {...props} />
    </section>
  );
}

function States({ id, onRestore }: PlantHistoryProps) {
  const { getPlantHistory } = usePlantStore().operations;
  const { data, error, hasNextPage, isFetching, fetchNextPage } = useInfiniteQuery({
    ...getPlantHistory.infiniteQueryOptions({ params: { id }, query: { limit: 20 } }),
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
          // It is unknown yet what the earliest loaded state replaced.
          if (before === undefined && hasNextPage) return null;
          const changed =
            before === undefined ? [] : textNames.filter((name) => state[name] !== before[name]);
          return (
            <li key={`${from} ${index}`}>
              <Icon name={before === undefined ? 'add' : changed[0] === 'tag' ? 'tag' : 'edit'} />
              <p>{describe(changed, before === undefined)}</p>
              {before !== undefined && onRestore !== undefined && changed.length > 0 && (
                <button
                  type="button"
                  className="quiet link"
                  aria-label={`Restore ${toVisible(before.name, 80) || '(no name)'}`}
                  title="Restore the plant to what it was before this change"
                  onClick={() => onRestore(before)}
                >
                  Restore
                </button>
              )}
              {before !== undefined &&
                changed.map((name) => (
                  <Changed key={name} name={name} before={before[name] ?? ''} after={state[name] ?? ''} />
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

/** What was done, such as "Name and tag edited". */
function describe(changed: readonly TextName[], isFirst: boolean): string {
  if (isFirst) return 'Added';
  const names = changed.map((name, index) => (index === 0 ? labels[name] : labels[name].toLowerCase()));
  return `${new Intl.ListFormat('en').format(names)} edited`;
}

interface ChangedProps {
  readonly name: TextName;
  readonly before: string;
  readonly after: string;
}

function Changed({ name, before, after }: ChangedProps) {
  if (name === 'tag') {
    return (
      <p className="tag-change">
        {before === '' ? <span className="note">none</span> : <Tag tag={before} maxLength={60} />}
        <Icon name="right" />
        <span className="visually-hidden">to</span>
        {after === '' ? <span className="note">none</span> : <Tag tag={after} maxLength={60} />}
      </p>
    );
  }
  return (
    <p className="text-change" dir="auto" translate="no">
      <TextChange
        before={toVisible(before, 300)}
        after={toVisible(after, 300)}
        labels={['Before:', 'After:']}
      />
    </p>
  );
}
