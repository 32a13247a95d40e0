'use client';

import { useActionState } from 'react';
import { addPlant } from './add-plant';

export default function Page() {
  const [message, action, isPending] = useActionState(addPlant, '');
  return (
    <form action={action}>
      <label>
        Id <input name="id" inputMode="numeric" pattern="-?[0-9]+" required />
      </label>
      <label>
        Name <input name="name" required />
      </label>
      <button type="submit" disabled={isPending}>
        Add plant
      </button>
      <output aria-live="polite">{message}</output>
    </form>
  );
}
