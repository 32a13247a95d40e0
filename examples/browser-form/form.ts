import { createClient, isPlantStoreError } from '@plant-store/client';

const baseUrl = 'http://127.0.0.1:3000';

document.forms[0]?.addEventListener('submit', async (event) => {
  event.preventDefault();
  const form = event.target as HTMLFormElement;
  const output = form.querySelector('output');
  const button = form.querySelector('button');
  if (!output || !button) return;
  button.disabled = true;
  output.value = 'Storing …';
  output.value = await store(new FormData(form));
  button.disabled = false;
});

/** Stores the plant, and returns the message to show. */
async function store(form: FormData): Promise<string> {
  const field = (name: string) => String(form.get(name));
  try {
    const client = createClient({ baseUrl, token: field('token') });
    const reply = await client.createPlant({
      // Parsed as a `bigint`, since a `number` would be rounded beyond 2^53.
      body: { id: BigInt(field('id')), name: field('name'), ...(field('tag') && { tag: field('tag') }) },
    });
    if (reply.status !== 200) return reply.body.message;
    return reply.replayed ? `${reply.body.name} was stored before.` : `${reply.body.name} is stored.`;
  } catch (error) {
    if (isPlantStoreError(error)) return 'There was no reply. Try again; nothing is stored twice.';
    return error instanceof Error ? error.message : String(error);
  }
}
