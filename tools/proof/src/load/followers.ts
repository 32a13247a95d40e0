import { type Client, followChanges } from '@plant-store/client';
import type { Row } from '../system/databases.js';
import { waitUntil } from '../system/programs.js';
import { Caller } from './caller.js';
import type { Change } from './history.js';
import { callOf, hasOperation } from './operations.js';
import {
  erasedFields,
  nameOf,
  type TestedResource,
  testedResources,
  toJson,
  toShownRecord,
} from './records.js';
import type { Tally } from './tally.js';
import type { Trial } from './trial.js';

/** The page sizes of the followers. One is so small that its follower falls behind. */
const limits = [10, 1_000];

/** The resources with a feed of changes. */
export const followedResources = testedResources.filter((resource) => hasOperation(resource, 'changes'));

/** Adapts a client, so that `followChanges` follows a resource's changes. */
export const feedOf = (client: Client, resource: TestedResource): Pick<Client, 'listChanges'> => ({
  listChanges: callOf(client, resource, 'changes') as Client['listChanges'],
});

/** Converts a change from a reply, which has the record in a member with the resource's name. */
export function toChange(resource: TestedResource, change: object): Change {
  const { kind, id, at, [resource.name]: record } = Object(change);
  return { resource, kind, id, at, record: record && toShownRecord(resource, record) };
}

/**
 * Runs an action while two followers of each resource receive all changes, from different instances if there are two. Afterward both must
 * receive a last record. Notes the received changes in the ledger, and compares them with a list of all changes at the end.
 */
export async function withFollowers(
  trial: Trial,
  tally: Tally,
  instances: number,
  run: () => Promise<void>,
): Promise<void> {
  const { ledger, token, database, createRecord } = trial;
  const stopping = new AbortController();
  const errors: unknown[] = [];

  function follow(resource: TestedResource, limit: number, instance: number): readonly Change[] {
    const changes: Change[] = [];
    const note = ledger.noteFollower();
    const client = trial.createFollowingClient(instance);
    async function collect(): Promise<void> {
      const options = { after: '0', limit, signal: stopping.signal };
      for await (const page of followChanges(feedOf(client, resource), options)) {
        const all = page.changes.map((change) => toChange(resource, change));
        all.forEach(note);
        changes.push(...all);
      }
    }
    collect().catch((error: unknown) => stopping.signal.aborted || errors.push(error));
    return changes;
  }

  /** Waits until the followers of a resource receive a last record, and compares the changes that they received. */
  async function compare(resource: TestedResource, received: readonly (readonly Change[])[]): Promise<void> {
    const last = createRecord(resource);
    const caller = new Caller({ ...(await trial.runningService()), token, ledger, connections: 1 });
    const isStored = async () => (await caller.send({ action: 'create', record: last })).kind === 'replayed';
    await waitUntil(isStored, `the last ${resource.name} is stored`);
    caller.close();
    const sentAt = performance.now();
    async function waitForLast(who: string, changes: readonly Change[]): Promise<void> {
      const isSeen = () => errors.length > 0 || changes.at(-1)?.id === last.id;
      await waitUntil(isSeen, `${who} gets the last ${resource.name}`);
      tally.max(`ms until ${who} got the last ${resource.name}`, performance.now() - sentAt);
      tally.add(`changes of ${who}`, changes.length);
    }
    await Promise.all(received.map((changes, index) => waitForLast(`follower ${index + 1}`, changes)));
    const listed = follow(resource, 1_000, 0);
    await waitForLast('the list', listed);
    const rows = (await database.readRows()).filter((row) => row.resource === resource);
    for (const failure of compareFollowers(rows, listed, received)) tally.fail(failure);
  }

  try {
    for (let instance = 0; instance < instances; instance++) await trial.runningService(instance);
    const all = followedResources.map((resource) => ({
      resource,
      received: limits.map((limit, index) => follow(resource, limit, index % instances)),
    }));
    await run();
    for (const { resource, received } of all) await compare(resource, received);
    for (const error of errors) tally.fail(`a follower: ${error}`);
  } finally {
    stopping.abort();
  }
}

/**
 * Compares all changes that followers received with the changes listed at the end, and the listed changes with all rows. The ledger checks
 * that followers received actual states in order.
 */
export function compareFollowers(
  rows: readonly Row[],
  listed: readonly Change[],
  received: readonly (readonly Change[])[],
): readonly string[] {
  const failures: string[] = [];
  const changes = new Map(listed.map((change) => [change.id, change]));
  for (const row of rows) {
    const { kind, record } = changes.get(row.id) ?? {};
    const isSame = row.resource.isSame(record?.fields ?? erasedFields(row.resource), row.fields);
    if (kind === undefined || row.deleted !== (kind === 'deleted') || !isSame)
      failures.push(`stored is ${nameOf(row)} ${toJson(row.fields)}, listed ${kind}`);
    changes.delete(row.id);
  }
  for (const change of changes.values()) failures.push(`listed, but not stored: ${describe(change)}`);

  const expected = listed.map(describe);
  const texts = received.map((all) => all.map(describe));
  for (const [index, all] of texts.entries()) {
    const who = `follower ${index + 1}`;
    const positions = new Map(all.map((text, position) => [text, position]));
    const duplicate = all.find((text, position) => positions.get(text) !== position);
    if (duplicate !== undefined) failures.push(`${who} got a change twice: ${duplicate}`);
    const lastPositions = new Map(received[index]?.map(({ id }, position) => [id, position]));
    const last = received[index]?.flatMap(({ id }, position) =>
      lastPositions.get(id) === position ? (all[position] ?? []) : [],
    );
    compareOrder(`last changes of ${who}`, last ?? [], expected);
    for (const [other, others] of texts.slice(0, index).entries()) {
      const common = others.filter((text) => positions.has(text));
      const found = new Set(common);
      compareOrder(
        `changes of ${who}, with those of ${other + 1}`,
        all.filter((text) => found.has(text)),
        common,
      );
    }
  }

  function compareOrder(what: string, actual: readonly string[], wanted: readonly string[]): void {
    const indexes = Array.from({ length: Math.max(actual.length, wanted.length) }, (_, index) => index);
    const first = indexes.find((index) => actual[index] !== wanted[index]);
    if (first !== undefined)
      failures.push(`${what}: at ${first} ${actual[first]}, expected ${wanted[first]}`);
  }
  return failures;
}

/** Describes a change completely. Two changes of a record differ, because they happen at different times. */
function describe({ kind, id, at, record }: Change): string {
  return `${kind} ${id} ${at} ${record && toJson([record.addedAt, record.fields])}`;
}
