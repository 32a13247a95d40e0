'use client';

import { useActionState } from 'react';
import { saveName } from './save-name';

interface EditPlantProps {
  /** The edit that the page started, serialized. */
  readonly seen: string;
  readonly name: string;
}

/** A form for the name of a plant. Its state keeps the edit of when it opened: a refresh of the page only changes the props. */
export function EditPlant({ seen, name }: EditPlantProps) {
  const [state, action, isPending] = useActionState(saveName, { seen, name, message: '' });
  return (
    <form action={action}>
      <label>
        Name <input name="name" defaultValue={state.name} required />
      </label>
      <button type="submit" disabled={isPending}>
        Save
      </button>
      <output aria-live="polite">{state.message}</output>
    </form>
  );
}
