// The common part of the programs: uses a generated client as docs/use/openapi.md says, and prints what the service stored, read without
// the client.
import { inspect } from 'node:util';

/** The operations of a generated client. `Plant` is the type of the plants that it lists. */
interface Client<Plant> {
  create(plant: { idText: string; name: string } | Plant): Promise<unknown>;
  list(): Promise<readonly Plant[] | undefined>;
  get(plant: Plant): Promise<{ idText: string } | undefined>;
  delete(plant: Plant): Promise<unknown>;
}

export const [, , baseUrl = '', token = ''] = process.argv;
export const authorization = `Bearer ${token}`;

/** An ID that a `number` cannot hold, and the ID that it is rounded to. */
const [id, neighbor] = ['9007199254740993', '9007199254740992'];

/**
 * Creates a plant in an empty store, sends it back as it was read, and then, while its neighbor is stored too, reads and deletes it. Prints
 * a line of JSON (`Report` in `scripts/generators.ts`).
 */
export async function useClient<Plant extends { id: number; idText: string; name: string }>(
  client: Client<Plant>,
): Promise<void> {
  const create = await attempt(() => client.create({ idText: id, name: 'B' }));
  const created = await listIds();
  const plant = (await client.list())?.[0];
  if (plant === undefined) throw new Error(`Nothing is listed: ${create}`);
  const sendBack = await attempt(() => client.create(plant));
  const sentBack = await listIds();

  await call('/plants', `{"id":${neighbor},"name":"A"}`);
  let shown: string | undefined;
  const get = await attempt(async () => {
    shown = (await client.get(plant))?.idText;
  });
  const remove = await attempt(() => client.delete(plant));
  const left = await listIds();
  const gone = [id, neighbor].filter((id) => !left.includes(id)).join(' and ');
  console.log(
    JSON.stringify({
      create: { ids: created.join(' and '), result: create },
      list: { ids: plant.idText },
      get: { ids: shown, result: get },
      delete: { ids: gone, result: remove },
      sendBack: { ids: sentBack.join(' and '), result: sendBack },
    }),
  );
}

/** Runs an action. Returns what it returns or throws, as text. */
async function attempt(action: () => Promise<unknown>): Promise<string> {
  const result = Object(await action().catch((error: unknown) => error));
  // `inspect` does not show the members that a client added to a `Response`.
  const parts = [result, { ...result }, { ...result.response }];
  return inspect(parts, { depth: 10, breakLength: Number.POSITIVE_INFINITY, maxStringLength: 1_000 });
}

/** Lists the IDs of all plants. */
async function listIds(): Promise<string[]> {
  const text = await call('/plants');
  return [...text.matchAll(/"idText":"(\d+)"/g)].map(([, id = '']) => id);
}

async function call(path: string, body?: string): Promise<string> {
  const headers = { authorization, 'content-type': 'application/json' };
  const reply = await fetch(baseUrl + path, { headers, ...(body !== undefined && { method: 'POST', body }) });
  return reply.text();
}
