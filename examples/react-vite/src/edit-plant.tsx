import { type Edit, hasChanges, isEditConflict } from '@plant-store/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { explain, plantLists, plantStore } from './plant-store';

interface EditPlantProps {
  /** What the person saw when the form opened. The list beside it refetches while the person types. */
  readonly edit: Edit;
  onClose(): void;
}

/** A form for the name of a plant. If somebody else has changed the plant, the person decides which name it keeps. */
export function EditPlant({ edit, onClose }: EditPlantProps) {
  const queryClient = useQueryClient();
  const [name, setName] = useState(edit.plant.name);
  const { mutate, error, isPending } = useMutation({
    ...plantStore.updatePlant.mutationOptions(),
    onSuccess: onClose,
    onSettled: () => {
      void queryClient.invalidateQueries(plantLists);
    },
  });
  const theirs = isEditConflict(error) ? error.current : undefined;
  const seen = theirs ?? edit;

  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    mutate({ edit: seen, changes: { name } });
  };

  return (
    <form onSubmit={submit}>
      <label>
        New name <input value={name} onChange={(event) => setName(event.target.value)} required />
      </label>{' '}
      <button type="submit" disabled={isPending || !hasChanges(seen, { name })}>
        {theirs ? 'Replace' : 'Save'}
      </button>{' '}
      <button type="button" onClick={onClose}>
        Cancel
      </button>{' '}
      {error && (
        <span role="alert">
          {theirs ? `Someone else has saved it as ${theirs.plant.name}.` : explain(error)}
        </span>
      )}
    </form>
  );
}
