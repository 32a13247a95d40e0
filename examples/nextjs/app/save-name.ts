'use server';

import { type Edit, isEditConflict, isPlantStoreError, saveEdit, startEdit } from '@plant-store/client';
import { deserialize, serialize } from '@plant-store/client/tanstack-query';
import { getClient } from './store-plant';

/** What a form shows. */
export interface EditState {
  /** The edit to save, as text: Next.js cannot keep a `bigint` in the state of a form that works without JavaScript. */
  readonly seen: string;
  /** What the person typed. */
  readonly name: string;
  readonly message: string;
}

/** The server action that saves a name, unless somebody else has saved another one since the form opened. */
export async function saveName({ seen }: EditState, form: FormData): Promise<EditState> {
  const name = String(form.get('name'));
  try {
    const reply = await saveEdit(getClient(), deserialize<Edit>(seen), { name });
    return { seen: serialize(startEdit(reply)), name, message: `${name} is saved.` };
  } catch (error) {
    if (isEditConflict(error)) {
      const { current } = error;
      const message = `Someone else has saved it as ${current.plant.name}. Save again to replace that.`;
      return { seen: serialize(current), name, message };
    }
    if (!isPlantStoreError(error)) throw error;
    console.error(error.message);
    return { seen, name, message: 'The name is not saved. Try again later.' };
  }
}
