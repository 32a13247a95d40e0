import { createClient } from '@plant-store/client';
import { followChanges } from '@plant-store/client/follow';
import { fieldsOf, hasSameFields } from '@plant-store/contract/fields';
import type { Change } from '@plant-store/contract/operations';
import type { PlantRow } from '../system/databases.js';
import { until } from '../system/programs.js';
import { Caller, type CallerOptions } from './caller.js';
import { withoutTexts } from './plants.js';
import type { Tally } from './tally.js';
import type { Trial } from './trial.js';

/** How many changes a page of each follower has at most: so few that one falls behind. */
const limits = [10, 1_000];

/**
 * Runs something while two followers get all changes, each of another service if there are two. Once both have caught up with a last
 * plant, their changes are noted and compared with a list of all.
 */
export async function withFollowers(
  { ledger, token, createPlant, database, random }: Trial,
  tally: Tally,
  services: readonly CallerOptions['service'][],
  run: () => Promise<void>,
): Promise<void> {
  const ending = new AbortController();
  const { signal } = ending;
  const errors: unknown[] = [];

  function follow(service: CallerOptions['service'], limit?: number): Change[] {
    const changes: Change[] = [];
    const baseUrl = 'http://service';
    const client = createClient({
      baseUrl,
      token,
      fetch: (url, init) => fetch(url.replace(baseUrl, service.baseUrl), init),
    });
    const note = ledger.noteFollower();
    async function collect() {
      for await (const page of followChanges(client, { after: '0', limit, signal }))
        for (const change of page.changes) {
          changes.push(change);
          note(change);
        }
    }
    collect().catch((error: unknown) => signal.aborted || errors.push(error));
    return changes;
  }

  try {
    const seen = limits.map((limit, index) =>
      follow(services[index % services.length] ?? random.pick(services), limit),
    );
    await run();
    const caller = new Caller({ service: random.pick(services), ledger, token, connections: 1 });
    const last = createPlant();
    await until(
      async () => (await caller.send({ do: 'create', plant: last })).kind === 'replayed',
      'the last plant is stored',
    );
    caller.close();
    const sentAt = performance.now();
    const isSeen = (changes: readonly Change[]) =>
      errors.length > 0 || changes.some(({ id }) => id === last.id);
    await until(() => seen.every(isSeen), 'both followers get the last plant');
    tally.max('longest time until they got the last one in ms', performance.now() - sentAt);
    const listed = follow(random.pick(services));
    await until(() => isSeen(listed), 'all changes are listed');
    for (const error of errors) tally.fail(`a follower: ${error}`);
    for (const failure of compareFollowers(await database.readRows(), listed, seen)) tally.fail(failure);
    for (const [index, changes] of seen.entries())
      tally.add(`changes of follower ${index + 1}`, changes.length);
    tally.add('changes listed at the end', listed.length);
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
