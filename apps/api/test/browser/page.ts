import { createClient } from '@plant-store/client';

/** The page's script: creates the plant of the form and shows each field of the result. */
document.querySelector('form')?.addEventListener('submit', async (event) => {
  event.preventDefault();
  const outcome = await create(new FormData(event.target as HTMLFormElement));
  const shown = Object.entries(outcome).flatMap(([name, value]) => [
    element('dt', name),
    element('dd', String(value)),
  ]);
  document.querySelector('dl')?.replaceChildren(...shown);
});

async function create(form: FormData): Promise<Record<string, unknown>> {
  const field = (name: string) => String(form.get(name));
  const client = createClient({ baseUrl: field('service'), token: field('token'), retries: 0 });
  try {
    const { status, body, requestId, replayed, headers } = await client.createPlant({
      body: { id: BigInt(field('id')), name: field('name') },
    });
    return { status, ...body, requestId, replayed, retryAfter: headers.get('Retry-After') };
  } catch (error) {
    return error instanceof Error
      ? { rejectedWith: error.name, message: error.message }
      : { rejectedWith: error };
  }
}

function element(kind: 'dt' | 'dd', text: string): HTMLElement {
  const created = document.createElement(kind);
  created.textContent = text;
  return created;
}
