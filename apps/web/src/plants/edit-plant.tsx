import type { Plant } from '@plant-store/contract/operations';
import { useEffect, useRef, useState } from 'react';
import type { Texts } from '../shared/fields.js';
import { notLoaded } from '../shared/load-boundary.js';
import { checkDraft, noProblems, withoutChanged } from './form/draft.js';
import { PlantForm, type PlantFormHandle } from './form/plant-form.js';
import { PlantTexts } from './plant-text.js';
import type { EditControl } from './use-edit.js';

interface EditPlantProps {
  readonly texts: Texts;
  readonly edit: EditControl;
  onCancel(): void;
}

/** The form in which a person edits a plant. */
export function EditPlant({ texts, edit, onCancel }: EditPlantProps) {
  const { seen, changed, isRestored, isPending, type, begin, save, fail } = edit;
  const [problems, setProblems] = useState(noProblems);
  const form = useRef<PlantFormHandle>(null);
  useEffect(() => form.current?.focusField('name'), []);
  const submit = async () => {
    const checked = await checkDraft(texts, seen).catch(() => undefined);
    if (checked === undefined) return fail(notLoaded);
    const { plant, problems: found = noProblems } = checked;
    setProblems(found);
    form.current?.focusFirst(found);
    if (plant !== undefined) await save(plant);
  };
  return (
    <PlantForm
      ref={form}
      draft={texts}
      problems={problems}
      isPending={isPending}
      submitLabel="Save"
      hasId={false}
      onChange={(typed) => {
        type(typed);
        setProblems((before) => withoutChanged(before, texts, typed));
      }}
      onSubmit={() => void submit()}
      actions={
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
      }
    >
      {isRestored && (
        <p role="status">
          <span>This is your unsaved text. Press Cancel to discard it.</span>
        </p>
      )}
      {changed !== undefined && (
        <ChangedPlant
          plant={changed}
          onTake={() => {
            void begin();
            form.current?.focusField('name');
          }}
        />
      )}
    </PlantForm>
  );
}

/** Shows the plant after someone else's change. */
function ChangedPlant({ plant, onTake }: { readonly plant: Plant; onTake(): void }) {
  return (
    <div className="other-plant">
      <p>
        The current version is:
        <PlantTexts plant={plant} />
      </p>
      <div className="submit-row">
        <button type="button" onClick={onTake}>
          Discard what I typed
        </button>
      </div>
    </div>
  );
}
