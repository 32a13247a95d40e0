import { stringifyExactJson } from '@plant-store/contract/exact-json/stringify';
import type { StoredPlant } from '@plant-store/contract/operations';
import { Fragment, type ReactNode, useEffect, useEffectEvent, useRef } from 'react';
import type { PlantFilter } from '../route.js';
import { labels, textNames } from '../shared/fields.js';
import { Icon } from '../shared/icon.js';
import { useKeys } from '../shared/keys.js';
import { serviceUrl, useRejectedToken } from '../shared/plant-store.js';
import { Sheet } from '../shared/sheet.js';
import { pickTexts } from '../shared/texts.js';
import { toVisible } from '../shared/to-visible.js';
import { useMedia, withoutSideBar } from '../shared/use-media.js';
import { useHasScope } from '../shared/use-scopes.js';
import { CopyButton } from './copy-button.js';
import { EditPlant } from './edit-plant.js';
import { Outcome } from './form/outcome.js';
import { formatTime } from './format-time.js';
import { PlantHistory } from './plant-history.js';
import { partsOfName } from './plant-text.js';
import { Tag } from './tag.js';
import { useEdit } from './use-edit.js';
import { usePlant } from './use-plants.js';
import './plant-sheet.css';
// Loaded together with the code that deletes, because a delete must be undoable.
import './undo-item.js';

/** The maximum lengths of shown texts, in characters. */
const maxHeadingLength = 80;
const maxSubtitleLength = 200;
const maxTagLength = 500;
const maxTextLength = 5_000;
const maxCallLength = 2_000;

interface PlantSheetProps {
  readonly id: bigint;
  /** The filter of the list. */
  readonly filter: PlantFilter;
  /** The position of the plant in the list, if it is loaded there. */
  readonly listPosition?: { readonly index: number; readonly count: number | undefined } | undefined;
  /** Called to open the next plant in the list, or with -1 the previous one. */
  onMove(step: 1 | -1): void;
  onClose(): void;
  onPrintLabel(plant: StoredPlant): void;
  onDelete(plant: StoredPlant): void;
}

/** One plant: its current and earlier states, the form to edit it, and for developers the calls that create it. */
export function PlantSheet(props: PlantSheetProps) {
  const { id } = props;
  const { data, failure } = usePlant(id);
  const plant = failure?.about === 'plant' ? undefined : data;
  return (
    <Panel
      {...props}
      title={plant === undefined ? `Plant ${id}` : toVisible(plant.name, maxHeadingLength) || '(no name)'}
      heading={plant && (toVisible(partsOfName(plant.name)[0], maxHeadingLength) || '(no name)')}
    >
      <PlantDetails {...props} />
    </Panel>
  );
}

/** The panel's content. Unmounting it ends an edit in which nothing was typed. */
function PlantDetails({ id, filter, onPrintLabel, onDelete }: PlantSheetProps) {
  const [canEdit, canDelete] = [useHasScope('update'), useHasScope('delete')];
  const { data, failure, refetch } = usePlant(id);
  const isMissing = failure?.about === 'plant';
  const plant = isMissing ? undefined : data;
  useRejectedToken(failure);
  const editButton = useRef<HTMLButtonElement>(null);
  const edit = useEdit({ id, filter, stored: plant });
  const { texts, isPending, attempt, done, problem } = edit;
  const isEditing = texts !== undefined;
  const wasEditing = useRef(isEditing);
  useEffect(() => {
    if (wasEditing.current && !isEditing) editButton.current?.focus();
    wasEditing.current = isEditing;
  }, [isEditing]);
  const beginEdit = () => canEdit && !isPending && !isEditing && void edit.begin();
  useKeys({ e: beginEdit });
  const leave = useEffectEvent(edit.leave);
  useEffect(() => () => leave(), []);
  const [, second] = plant === undefined ? [''] : partsOfName(plant.name);
  return (
    <>
      {second !== undefined && !isEditing && (
        <p className="subtitle" dir="auto" translate="no">
          {toVisible(second, maxSubtitleLength)}
        </p>
      )}
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
          <div className="panel-actions">
            {canEdit && (
              <button
                ref={editButton}
                type="button"
                aria-disabled={isPending}
                data-busy={isPending || undefined}
                onClick={beginEdit}
              >
                <Icon name="edit" /> Edit <kbd aria-hidden>E</kbd>
              </button>
            )}
            <button type="button" onClick={() => onPrintLabel(plant)}>
              <Icon name="label" /> Label
            </button>
            {canDelete && (
              <button type="button" className="quiet danger" onClick={() => onDelete(plant)}>
                Delete
              </button>
            )}
          </div>
          <dl className="plant-facts">
            {textNames.map(
              (name) =>
                (name !== 'name' || !isShort(plant.name)) && (
                  <Fragment key={name}>
                    <dt>{labels[name]}</dt>
                    <dd dir="auto" className="plant-text" translate={plant[name] ? 'no' : 'yes'}>
                      {name === 'tag' && plant.tag?.trim() ? (
                        <Tag tag={plant.tag} maxLength={maxTagLength} />
                      ) : (
                        describeText(plant[name])
                      )}
                    </dd>
                  </Fragment>
                ),
            )}
            <dt>Added</dt>
            <dd>
              {plant.addedAt === undefined ? (
                <em>(not known)</em>
              ) : (
                <time dateTime={plant.addedAt}>{formatTime(plant.addedAt)}</time>
              )}
            </dd>
            <dt>ID</dt>
            <dd>
              <code translate="no">{`${plant.id}`}</code>{' '}
              <CopyButton text={`${plant.id}`} label="Copy the ID" />
            </dd>
          </dl>
        </>
      )}
      {(plant !== undefined || isEditing) && (
        <Outcome isPending={isPending} attempt={attempt} done={done} problem={problem} />
      )}
      {plant !== undefined && !isEditing && (
        <>
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
    </>
  );
}

interface PanelProps extends Pick<PlantSheetProps, 'id' | 'listPosition' | 'onMove' | 'onClose'> {
  readonly title: string;
  /** The visible part of the title. Default: the whole title. */
  readonly heading: string | undefined;
  readonly children: ReactNode;
}

/** A panel next to the list, or a dialog over it if there is no room. */
function Panel({ id, title, heading, listPosition, onMove, onClose, children }: PanelProps) {
  const isDialog = useMedia(withoutSideBar);
  const count = listPosition?.count === undefined ? '' : ` of ${listPosition.count.toLocaleString()}`;
  const content = (
    <>
      <header>
        {isDialog && (
          <button type="button" className="quiet link" onClick={onClose}>
            <Icon name="back" /> Back
          </button>
        )}
        {listPosition !== undefined && (
          <>
            <span className="count">{`${(listPosition.index + 1).toLocaleString()}${count}`}</span>
            <button type="button" className="quiet icon-only" onClick={() => onMove(-1)}>
              <Icon name="up" />
              <span className="visually-hidden">Previous plant</span>
            </button>
            <button type="button" className="quiet icon-only" onClick={() => onMove(1)}>
              <Icon name="down" />
              <span className="visually-hidden">Next plant</span>
            </button>
          </>
        )}
        {!isDialog && (
          <button type="button" className="quiet icon-only close" onClick={onClose}>
            <Icon name="close" />
            <span className="visually-hidden">Close</span>
          </button>
        )}
      </header>
      {/* Only the body is replaced for another plant, so that the buttons above keep the focus. */}
      <div key={`${id}`} className="panel-body">
        <h2 dir="auto" translate={heading === undefined ? 'yes' : 'no'}>
          {heading ?? title}
        </h2>
        {children}
      </div>
    </>
  );
  if (isDialog) {
    return (
      <Sheet isOpen isBare title={title} onClose={onClose}>
        <div className="plant-panel">{content}</div>
      </Sheet>
    );
  }
  return (
    <aside
      className="plant-panel"
      aria-label={title}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return;
        event.preventDefault();
        onClose();
      }}
    >
      {content}
    </aside>
  );
}

/** Whether the heading and the subtitle show the whole name. */
const isShort = (name: string) => name.trim() !== '' && name.length <= maxHeadingLength;

function describeText(text: string | undefined) {
  if (text === undefined) return <em>(none)</em>;
  return text.trim() === '' ? <em>{toVisible(text) || '(empty)'}</em> : toVisible(text, maxTextLength, true);
}

function Call({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <section aria-label={title} className="call">
      <h3>{title}</h3>
      <CopyButton text={text} label={`Copy the call for ${title}`} />
      {/* The text can be wider than the sheet. The element takes the focus, so that keys can scroll it. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above */}
      <pre tabIndex={0} translate="no">
        {toVisible(text, maxCallLength)}
      </pre>
    </section>
  );
}

/** Returns the call that creates the plant, for a POSIX shell. The reader sets `TOKEN`. */
export function toCurl(plant: StoredPlant): string {
  const body = stringifyExactJson({ id: plant.id, ...pickTexts(plant) }).replaceAll("'", "'\\''");
  return `curl ${serviceUrl}/plants -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '${body}'`;
}

export function toTypeScript(plant: StoredPlant): string {
  const texts = Object.entries(pickTexts(plant)).map(([name, text]) => `${name}: ${JSON.stringify(text)}`);
  return `await client.createPlant({ body: { ${[`id: ${plant.id}n`, ...texts].join(', ')} } });`;
}
