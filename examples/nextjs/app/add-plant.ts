'use server';

import { storePlant } from './store-plant';

/** The server action of the form: returns what the page shows. */
export async function addPlant(_previous: string, form: FormData): Promise<string> {
  const { message } = await storePlant(form.get('id'), form.get('name'));
  return message;
}
