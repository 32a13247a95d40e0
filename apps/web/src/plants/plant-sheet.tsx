import { stringifyExactJson } from '@plant-store/contract/exact-json/stringify';
import type { StoredPlant } from '@plant-store/contract/operations';
import { Fragment, useEffect, useRef } from 'react';
import type { PlantFilter } from '../route.js';
import { serviceUrl, usePlantStore } from '../shared/plant-store.js';
import { Sheet } from '../shared/sheet.js';
import { toVisible } from '../shared/to-visible.js';
import { useMay } from '../shared/use-scopes.js';
import { CopyButton } from './copy-button.js';
import { EditPlant } from './edit-plant.js';
import { Outcome } from './form/outcome.js';
import { formatTime } from './format-time.js';
import { PlantHistory } from './plant-history.js';
import { useEdit } from './use-edit.js';
import { usePlant } from './use-plants.js';
// What deletes also loads what undoes it.
import './undo-item.js';
import { labels, textNames } from '../shared/fields.js';
import { pickTexts } from '../shared/texts.js';

interface PlantSheetProps {
  readonly id: bigint;
  /** That of the plants behind the sheet. */
  readonly filter: PlantFilter;
  onClose(): void;
  onDelete(plant: StoredPlant): void;
}

/** One plant: what it is, its form and its deletion, and for developers the calls that create it. */
export function PlantSheet({ id, filter, onClose, onDelete }: PlantSheetProps) {
  const { rejectToken } = usePlantStore();
  const [canEdit, canDelete] = [useMay('update'), useMay('delete')];
  const { data, failure, refetch } = usePlant(id);
  const isMissing = failure?.about === 'plant';
  const plant = isMissing ? undefined : data;
  useEffect(() => {
    if (failure?.about === 'token') rejectToken(failure.message);
  }, [failure?.about, failure?.message, rejectToken]);
  const editButton = useRef<HTMLButtonElement>(null);
  const edit = useEdit({ id, filter, stored: plant });
  const { texts, isPending, attempt, done, problem } = edit;
  const isEditing = texts !== undefined;
  const wasEditing = useRef(isEditing);
  useEffect(() => {
    if (wasEditing.current && !isEditing) editButton.current?.focus();
    wasEditing.current = isEditing;
  }, [isEditing]);
  return (
    <Sheet
      isOpen
      title={plant === undefined ? `Plant ${id}` : nameOf(plant)}
      translate={plant === undefined}
      onClose={() => {
        edit.leave();
        onClose();
      }}
    >
      {plant === undefined && failure === undefined && <p className="note">Loading…</p>}
      {failure !== undefined && failure.about !== 'token' && (
        <div className="stack">
          <p role="alert" className="message problem">
            {failure.message}
          </p>
          {!isMissing && (
            <button type="button" onClick={() => void refetch()}>
              Load again
            </button>
          )}
        </div>
      )}
      {texts !== undefined && <EditPlant texts={texts} edit={edit} onCancel={edit.end} />}
      {plant !== undefined && !isEditing && (
        <>
          <dl className="plant-facts">
            {textNames.map((name) => (
              <Fragment key={name}>
                <dt>{labels[name]}</dt>
                <dd dir="auto" className="plant-text" translate={plant[name] ? 'no' : 'yes'}>
                  {describeText(plant[name])}
                </dd>
              </Fragment>
            ))}
            <dt>Id</dt>
            <dd>
              <code translate="no">{`${plant.id}`}</code>{' '}
              <CopyButton text={`${plant.id}`} label="Copy the id" />
            </dd>
            <dt>Added</dt>
            <dd>
              {plant.addedAt === undefined ? (
                <em>(not known)</em>
              ) : (
                <time dateTime={plant.addedAt}>{formatTime(plant.addedAt)}</time>
              )}
            </dd>
          </dl>
          <div className="submit-row">
            {canEdit && (
              <button
                ref={editButton}
                type="button"
                aria-disabled={isPending}
                data-busy={isPending || undefined}
                onClick={() => isPending || void edit.begin()}
              >
                Edit
              </button>
            )}
            {canDelete && (
              <button type="button" className="danger" onClick={() => onDelete(plant)}>
                Delete
              </button>
            )}
          </div>
          <PlantHistory
            id={id}
            plant={plant}
            onRestore={canEdit && !isPending ? (state) => void edit.restore(state) : undefined}
          />
          <details className="for-developers">
            <summary>For developers</summary>
            <Call title="curl" text={toCurl(plant)} />
            <Call title="TypeScript" text={toTypeScript(plant)} />
          </details>
        </>
      )}
      {(plant !== undefined || isEditing) && (
        <Outcome pending={isPending} attempt={attempt} done={done} problem={problem} />
      )}
    </Sheet>
  );
}

function nameOf({ name }: StoredPlant): string {
  return name === '' ? '(no name)' : toVisible(name, 80);
}

function describeText(text: string | undefined) {
  if (text === undefined) return <em>(none)</em>;
  return text.trim() === '' ? <em>{toVisible(text) || '(empty)'}</em> : toVisible(text, 5_000, true);
}

function Call({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <section aria-label={title} className="call">
      <h3>{title}</h3>
      <CopyButton text={text} label={`Copy the call for ${title}`} />
      {/* Wider than the sheet, so that it takes the focus to be scrolled by keys. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above */}
      <pre tabIndex={0} translate="no">
        {toVisible(text, 2_000)}
      </pre>
    </section>
  );
}

/** The call that creates the plant, for a POSIX shell; the token is left to the reader. */
export function toCurl(plant: StoredPlant): string {
  const body = stringifyExactJson({ id: plant.id, ...pickTexts(plant) }).replaceAll("'", "'\\''");
  return `curl ${serviceUrl}/plants -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '${body}'`;
}

export function toTypeScript(plant: StoredPlant): string {
  const texts = Object.entries(pickTexts(plant)).map(([name, text]) => `${name}: ${JSON.stringify(text)}`);
  return `await client.createPlant({ body: { ${[`id: ${plant.id}n`, ...texts].join(', ')} } });`;
}
