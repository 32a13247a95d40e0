import { createClient } from '@plant-store/client';
import { followChanges } from '@plant-store/client/follow';
import { fieldsOf, hasSameFields } from '@plant-store/contract/fields';
import type { Change } from '@plant-store/contract/operations';
import type { PlantRow } from '../system/databases.js';
import { until } from '../system/programs.js';
import { Caller } from './caller.js';
import { withoutTexts } from './plants.js';
import type { Tally } from './tally.js';
import type { Trial } from './trial.js';

/** How many changes a page of each follower has at most: so few that one falls behind. */
const limits = [10, 1_000];

/**
 * Runs something while two followers get all changes, each of another instance if there are two. Then all must be told of a last plant;
 * what they got is noted, and compared with a list of all that is made at the end.
 */
export async function withFollowers(
  trial: Trial,
  tally: Tally,
  instances: number,
  run: () => Promise<void>,
): Promise<void> {
  const { ledger, token, database } = trial;
  const ending = new AbortController();
  const errors: unknown[] = [];

  async function follow(changes: Change[], limit: number, instance: number): Promise<void> {
    const baseUrl = 'http://service';
    const find: typeof fetch = (url, init) =>
      fetch(String(url).replace(baseUrl, trial.current[instance]?.baseUrl ?? baseUrl), init);
    const client = createClient({ baseUrl, token, fetch: find });
    const note = ledger.noteFollower();
    const pages = followChanges(client, { after: '0', limit, signal: ending.signal });
    for await (const page of pages)
      for (const change of page.changes) note(changes[changes.push(change) - 1] ?? change);
  }

  function start(limit: number, instance: number): readonly Change[] {
    const changes: Change[] = [];
    follow(changes, limit, instance).catch((error: unknown) => ending.signal.aborted || errors.push(error));
    return changes;
  }

  try {
    for (let instance = 0; instance < instances; instance++) await trial.service(instance);
    const seen = limits.map((limit, index) => start(limit, index % instances));
    await run();
    const last = trial.createPlant();
    const caller = new Caller({ ...(await trial.service()), token, ledger, connections: 1 });
    const isStored = async () => (await caller.send({ do: 'create', plant: last })).kind === 'replayed';
    await until(isStored, 'the last plant is stored');
    caller.close();
    const sentAt = performance.now();
    async function caughtUp(who: string, changes: readonly Change[]): Promise<void> {
      const isSeen = () => errors.length > 0 || changes.at(-1)?.id === last.id;
      await until(isSeen, `${who} gets the last plant`);
      tally.max(`ms until ${who} got the last plant`, performance.now() - sentAt);
      tally.add(`changes of ${who}`, changes.length);
    }
    await Promise.all(seen.map((changes, index) => caughtUp(`follower ${index + 1}`, changes)));
    const listed = start(1_000, 0);
    await caughtUp('the list', listed);
    for (const error of errors) tally.fail(`a follower: ${error}`);
    for (const failure of compareFollowers(await database.readRows(), listed, seen)) tally.fail(failure);
  } finally {
    ending.abort();
  }
}

/**
 * Compares the changes that followers got from the first one on with those that are listed at the end, and these with all rows. Whether
 * they were shown what had been, in its order, the ledger knows.
 */
export function compareFollowers(
  rows: readonly PlantRow[],
  listed: readonly Change[],
  seen: readonly (readonly Change[])[],
): readonly string[] {
  const failures: string[] = [];
  const changes = new Map(listed.map((change) => [change.id, change]));
  for (const row of rows) {
    const { kind, plant = withoutTexts } = changes.get(row.id) ?? {};
    const isSame = kind !== undefined && row.deleted === (kind === 'deleted') && hasSameFields(plant, row);
    if (!isSame) failures.push(`stored is ${row.id} ${JSON.stringify(fieldsOf(row))}, listed ${kind}`);
    changes.delete(row.id);
  }
  for (const change of changes.values()) failures.push(`listed, but not stored: ${describe(change)}`);

  const expected = listed.map(describe);
  const texts = seen.map((all) => all.map(describe));
  for (const [index, all] of texts.entries()) {
    const who = `follower ${index + 1}`;
    if (new Set(all).size < all.length) failures.push(`${who} got a change twice: ${findRepeated(all)}`);
    const last = new Map<bigint, string>();
    for (const change of seen[index] ?? []) {
      // At the end of the map.
      last.delete(change.id);
      last.set(change.id, describe(change));
    }
    compareOrder(`last changes of ${who}`, [...last.values()], expected);
    for (const [other, others] of texts.slice(0, index).entries())
      compareOrder(`changes of ${who}, with those of ${other + 1}`, common(all, others), common(others, all));
  }

  function compareOrder(what: string, one: readonly string[], other: readonly string[]): void {
    const place = Array.from({ length: Math.max(one.length, other.length) }, (_, index) => index);
    const first = place.find((index) => one[index] !== other[index]);
    if (first !== undefined) failures.push(`${what}: at ${first} ${one[first]}, expected ${other[first]}`);
  }
  return failures;
}

function common(texts: readonly string[], others: readonly string[]): readonly string[] {
  const found = new Set(others);
  return texts.filter((text) => found.has(text));
}

function findRepeated(texts: readonly string[]): string | undefined {
  return texts.find((text, index) => texts.indexOf(text) !== index);
}

/** All that a change has: no two of a plant are alike, since they are made at different times. */
function describe({ kind, idText, at, plant }: Change): string {
  return `${kind} ${idText} ${at} ${plant && JSON.stringify([plant.addedAt, fieldsOf(plant)])}`;
}
