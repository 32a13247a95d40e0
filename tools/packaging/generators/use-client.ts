// Called by the program of each generator: uses its client as most programs do, or as docs/use/openapi.md says, and
// prints what the service, asked without the client, has stored then.
import './exact-bigint.js';

/** What the program makes of the generated client. `Plant` is what it lists. */
interface Client<Plant> {
  create(plant: { id: number; name: string }): Promise<unknown>;
  list(): Promise<readonly Plant[] | undefined>;
  get(plant: Plant): Promise<{ idText: string } | undefined>;
  delete(plant: Plant): Promise<unknown>;
}

export const [, , baseUrl = '', token = '', typeOfId = ''] = process.argv;
export const authorization = `Bearer ${token}`;

/** An id that a `number` cannot hold, and the one that it is rounded to. */
const [id, neighbour] = ['9007199254740993', '9007199254740992'];

/**
 * Creates a plant with the id. Of it and its neighbour, both of which are stored by then, lists, reads and deletes it.
 * Prints a line of JSON (`Report` in `scripts/generators.ts`).
 */
export async function useClient<Plant extends { id: number; idText: string }>(
  client: Client<Plant>,
): Promise<void> {
  const toId = typeOfId === 'number' ? Number : (text: string) => BigInt(text) as unknown as number;
  const created = await attempt(() => client.create({ id: toId(id), name: 'B' }));
  const [createdId] = await listIds();
  await call('/plants', `{"id":${neighbour},"name":"A"}`);
  await call('/plants', `{"id":${id},"name":"B"}`);

  const plant = (await client.list())?.find(({ idText }) => idText === id);
  if (plant === undefined) throw new Error(`The list does not have ${id}`);
  let shownId: string | undefined;
  const shown = await attempt(async () => {
    shownId = (await client.get(plant))?.idText;
  });
  const deleted = await attempt(() => client.delete(plant));
  const left = await listIds();
  const gone = [id, neighbour].filter((id) => !left.includes(id));
  console.log(
    JSON.stringify({
      create: { id: createdId, thrown: created },
      list: { id: typeOfId === 'number' ? String(plant.id) : plant.idText },
      get: { id: shownId, thrown: shown },
      delete: { id: gone.join(' and ') || undefined, thrown: deleted },
    }),
  );
}

/** Returns what the action throws, if it does. */
async function attempt(action: () => Promise<unknown>): Promise<string | undefined> {
  return action().then(() => undefined, String);
}

/** The ids of all plants. */
async function listIds(): Promise<string[]> {
  const text = await call('/plants');
  return [...text.matchAll(/"idText":"(\d+)"/g)].map(([, id = '']) => id);
}

async function call(path: string, body?: string): Promise<string> {
  const headers = { authorization, 'content-type': 'application/json' };
  const reply = await fetch(baseUrl + path, { headers, ...(body !== undefined && { method: 'POST', body }) });
  return reply.text();
}
