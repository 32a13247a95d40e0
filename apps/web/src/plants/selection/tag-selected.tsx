import { QUERY_MAX_LENGTHS } from '@plant-store/contract/messages';
import type { StoredPlant } from '@plant-store/contract/operations';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import type { PlantFilter } from '../../route.js';
import { Field } from '../../shared/field.js';
import { Sheet } from '../../shared/sheet.js';
import { withoutLastSpace } from '../../shared/without-last-space.js';
import { TagInput } from '../tag-input.js';
import { TaggingProgress } from '../tags/tagging-progress.js';
import { useTagging } from '../tags/use-tagging.js';

interface TagSelectedProps {
  /** The plants that are selected when the sheet opens. */
  readonly plants: readonly StoredPlant[];
  readonly filter: PlantFilter;
  onClose(): void;
}

/** The sheet that sets the tag of the selected plants. Closes once all of them have the tag. */
export function TagSelected({ plants: selected, filter, onClose }: TagSelectedProps) {
  // A fixed copy, because plants that no longer match the filter are deselected.
  const [plants] = useState(selected);
  const [tag, setTag] = useState('');
  const { progress, run, cancel, forget } = useTagging(filter);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const number = `${plants.length.toLocaleString()} ${plants.length === 1 ? 'plant' : 'plants'}`;
  const start = async (newTag: string | undefined) => {
    const { state, failed } = await run({ plants: () => plants, tag: newTag });
    if (state === 'done' && failed.length === 0) onClose();
  };
  const isRunning = progress?.state === 'running';
  // Enter in an empty field must not remove tags.
  const canTag = !isRunning && tag.trim() !== '';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (canTag) void start(withoutLastSpace(tag));
  };
  return (
    <Sheet isOpen title={`Tag ${number}`} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <Field
          ref={field}
          label="Tag"
          name="tag"
          hint="Replaces the current tags."
          as={TagInput}
          dir="auto"
          maxLength={QUERY_MAX_LENGTHS.tag}
          value={tag}
          readOnly={isRunning}
          onChange={(event) => {
            setTag(event.target.value);
            forget();
          }}
        />
        <div className="submit-row">
          <button
            type="submit"
            className="primary"
            aria-disabled={!canTag}
            data-busy={isRunning || undefined}
          >
            <span>{`Tag ${number}`}</span>
          </button>
          <button type="button" aria-disabled={isRunning} onClick={() => isRunning || void start(undefined)}>
            <span>Remove the tag</span>
          </button>
          <button type="button" onClick={isRunning ? cancel : onClose}>
            Cancel
          </button>
        </div>
      </form>
      <TaggingProgress progress={progress} total={plants.length} />
    </Sheet>
  );
}
