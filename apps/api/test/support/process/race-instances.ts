import { createClient } from '@plant-store/client';
import { errors } from '@plant-store/contract/errors';
import { type Call, issueToken, startServe } from './run-command.js';

/** The number of creates in flight at each instance. */
const concurrency = 64;

/** What became of a create: stored by it, stored before, or rejected since a different plant has the id; or any other reply. */
export type RaceOutcome = 'stored' | 'replayed' | 'taken' | { readonly unexpected: string };

/**
 * Starts two instances on one database, and sends each id to both at the same time.
 *
 * @param nameOf the name of the plant that an instance, 0 or 1, gets under an id
 * @returns the outcomes at both instances, by id
 */
export async function raceInstances(
  call: Call,
  ids: readonly bigint[],
  nameOf: (instance: number, id: bigint) => string,
): Promise<ReadonlyMap<bigint, readonly RaceOutcome[]>> {
  const token = await issueToken(call);
  const instances = await Promise.all([startServe(call), startServe(call)]);
  const clients = instances.map(({ baseUrl }) => createClient({ baseUrl, token, retries: 0 }));
  const outcomes = new Map(ids.map((id): [bigint, RaceOutcome[]] => [id, []]));

  async function send(client: ReturnType<typeof createClient>, instance: number, id: bigint) {
    const reply = await client.createPlant({ body: { id, name: nameOf(instance, id) } });
    const ofId = outcomes.get(id) ?? [];
    if (reply.status === 200)
      ofId[instance] = reply.headers.has('idempotent-replayed') ? 'replayed' : 'stored';
    else if (reply.status === 400 && reply.body.error === errors.id_taken.error) ofId[instance] = 'taken';
    else ofId[instance] = { unexpected: `${reply.status} ${JSON.stringify(reply.body)}` };
  }
  for (let from = 0; from < ids.length; from += concurrency) {
    const some = ids.slice(from, from + concurrency);
    // In opposite orders, so that their commits overlap on the same ids from both ends.
    const orders = [some, some.toReversed()];
    const sending = clients.flatMap((client, at) => orders[at]?.map((id) => send(client, at, id)));
    await Promise.all(sending);
  }
  for (const { command } of instances) await command.end('SIGTERM');
  return outcomes;
}
