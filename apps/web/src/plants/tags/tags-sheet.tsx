import { listAll } from '@plant-store/client';
import { QUERY_MAX_LENGTHS } from '@plant-store/contract/messages';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { navigate, type PlantFilter } from '../../route.js';
import { Field } from '../../shared/field.js';
import { usePlantStore, useRejectedToken } from '../../shared/plant-store.js';
import { Sheet } from '../../shared/sheet.js';
import { toVisible } from '../../shared/to-visible.js';
import { useHasScope } from '../../shared/use-scopes.js';
import { Tag } from '../tag.js';
import { useUndo } from '../undo-provider.js';
import { recount } from '../use-plants.js';
import { useCounts } from '../use-tags.js';
import { TaggingProgress } from './tagging-progress.js';
import { useTagging } from './use-tagging.js';

/** The maximum length of a tag in a label, in characters. */
const maxTagLength = 60;

interface TagsSheetProps {
  readonly filter: PlantFilter;
  readonly isOpen: boolean;
  /** The bar that undoes renames. */
  readonly children: ReactNode;
  onClose(): void;
}

/** A rename of a tag, which edits all plants with the tag. */
interface Rename {
  readonly from: string;
  readonly to: string;
  /** The number of plants with the tag when the rename was last started. */
  readonly total: number;
}

/** Lists all tags with the number of their plants. Each tag filters the list, and can be renamed. */
export function TagsSheet({ filter, isOpen, children, onClose }: TagsSheetProps) {
  const isUndoing = useUndo().actions.some(({ state }) => state === 'undoing');
  const { counts, problem } = useTagCounts(isOpen && !isUndoing);
  const { client } = usePlantStore();
  const canEdit = useHasScope('update');
  const [rename, setRename] = useState<Rename>();
  const { progress, run, cancel, forget } = useTagging(filter);
  const isRunning = progress?.state === 'running';
  const showRename = (next: Rename | undefined) => {
    setRename(next);
    forget();
  };
  const start = async ({ from, to, total }: Rename) => {
    // A repeated run only edits the remaining plants.
    setRename({ from, to, total: counts?.get(from) ?? total });
    const plants = (signal: AbortSignal) => listAll(client, { tag: from, signal });
    const { state, failed } = await run({ plants, from, tag: to === '' ? undefined : to });
    if (state !== 'done' || failed.length > 0) return;
    showRename(undefined);
    // The list of the old tag is empty now.
    if (filter.tag === from)
      navigate({ view: 'plants', filter: { ...filter, tag: to === '' ? undefined : to } });
  };
  return (
    <Sheet title="Tags" isOpen={isOpen} onClose={onClose}>
      <p role="alert" className="message problem">
        {problem !== undefined && <span>{problem}</span>}
      </p>
      {rename !== undefined && (
        <RenameForm
          key={rename.from}
          rename={rename}
          existing={rename.to === rename.from ? undefined : counts?.get(rename.to)}
          isRunning={isRunning}
          onType={(to) => showRename({ ...rename, to })}
          onSubmit={() => void start(rename)}
          onCancel={isRunning ? cancel : () => showRename(undefined)}
        />
      )}
      <TaggingProgress progress={progress} total={Math.max(rename?.total ?? 0, progress?.done ?? 0)} />
      {children}
      {counts === undefined && problem === undefined && <p className="note">Counting…</p>}
      {counts?.size === 0 && <p>No plant has a tag.</p>}
      <ul className="tag-list">
        {[...(counts ?? [])].map(([tag, plants]) => (
          <li key={tag}>
            <button
              type="button"
              className="quiet tag-filter"
              onClick={() => {
                onClose();
                navigate({ view: 'plants', filter: { ...filter, tag } });
              }}
            >
              <Tag tag={tag} />
              <span className="visually-hidden">: show its plants</span>
            </button>
            <span className="tag-count" translate="no">
              {plants?.toLocaleString()}
            </span>
            {/* Lists cannot be filtered by a longer tag. */}
            {canEdit && tag.length <= QUERY_MAX_LENGTHS.tag && (
              <button
                type="button"
                aria-disabled={isRunning}
                onClick={() => isRunning || showRename({ from: tag, to: tag, total: plants ?? 0 })}
              >
                <span>Rename</span>
                <span className="visually-hidden" translate="no">{`: ${toVisible(tag) || '(empty)'}`}</span>
              </button>
            )}
          </li>
        ))}
      </ul>
    </Sheet>
  );
}

/** Returns the number of plants with each tag. Counts them again each time the sheet opens, and after an undo. */
function useTagCounts(isShown: boolean) {
  const { tags, isCounted, failure } = useCounts(isShown);
  const queryClient = useQueryClient();
  useEffect(() => (isShown ? recount(queryClient) : undefined), [isShown, queryClient]);
  useRejectedToken(failure);
  return { counts: isCounted ? tags : undefined, problem: failure?.message };
}

interface RenameFormProps {
  readonly rename: Rename;
  /** The number of plants that already have the new tag. */
  readonly existing: number | undefined;
  readonly isRunning: boolean;
  onType(to: string): void;
  onSubmit(): void;
  onCancel(): void;
}

function RenameForm({
  rename: { from, to, total },
  existing,
  isRunning,
  onType,
  onSubmit,
  onCancel,
}: RenameFormProps) {
  const isSame = from === to;
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation(); // Must not submit the form that contains the sheet.
    if (!isRunning && !isSame) onSubmit();
  };
  const label = existing !== undefined ? 'Merge' : to === '' ? 'Remove' : 'Rename';
  return (
    <form className="stack" onSubmit={submit}>
      <Field
        ref={field}
        label={`New name for “${toVisible(from, maxTagLength)}”`}
        name="tag"
        dir="auto"
        hint={describeEffect(total, existing, to)}
        maxLength={QUERY_MAX_LENGTHS.tag}
        value={to}
        readOnly={isRunning}
        onChange={(event) => onType(event.target.value)}
      />
      <div className="submit-row">
        <button
          type="submit"
          className="primary"
          aria-disabled={isRunning || isSame}
          data-busy={isRunning || undefined}
        >
          <span>{label}</span>
        </button>
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}

function describeEffect(total: number, existing: number | undefined, to: string): string {
  const plants = `${total.toLocaleString()} ${total === 1 ? 'plant' : 'plants'}`;
  if (existing !== undefined) {
    const others = existing === 1 ? 'another plant' : `${existing.toLocaleString()} other plants`;
    return `Merges with the existing tag of ${others}. You cannot tell afterward which ${total === 1 ? 'plant' : plants} had this tag.`;
  }
  if (to === '') return `Removes the tag from ${plants}.`;
  return `Renames the tag on ${plants}.`;
}
