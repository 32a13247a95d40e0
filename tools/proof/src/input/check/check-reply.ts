import { errors } from '@plant-store/contract/errors';
import { fieldsOf } from '@plant-store/contract/fields';
import type { StoredPlant } from '@plant-store/contract/operations';
import { parse } from 'lossless-json';
import { memberNames } from '../../plant.js';
import type { Reply } from '../exchange/read-replies.js';
import type { Outcome } from '../oracle/expect-outcome.js';
import type { PlantOutcome } from '../oracle/read-plant.js';
import type { FramedRequest } from '../oracle/read-requests.js';
import { findUndocumented } from './documented-reply.js';
import type { Observer } from './ledger.js';

/** Compares a reply with what its request must lead to, and notes what it shows. Returns what is wrong. */
export function checkReply(
  reply: Reply,
  { method, headers }: Omit<FramedRequest, 'body'>,
  outcome: Outcome,
  observer: Observer,
): string[] {
  if (outcome.document && reply.status < 400) return [];
  const isHead = method === 'HEAD';
  const problems = [
    ...findUndocumented(reply, isHead, outcome.operation),
    ...checkRequestId(reply, { headers }),
  ];
  if (problems.length > 0) return problems;
  if (reply.status < 300) {
    if (outcome.certain) return [`accepted, expected ${outcome.errors.join(' or ')}`];
    return isHead ? noteHead(outcome, observer) : checkSuccess(reply, outcome, observer);
  }
  return isHead ? checkHeadError(reply, outcome, observer) : checkError(reply, outcome, observer);
}

/** Notes that a reply to HEAD was a success. */
function noteHead({ id }: Outcome, observer: Observer): string[] {
  return id === undefined ? [] : observer.shown(id);
}

function checkHeadError({ status }: Reply, { id, errors: expected }: Outcome, observer: Observer): string[] {
  const statuses = expected.map((error) => Math.floor(error / 100));
  if (!statuses.includes(status)) return [`status ${status}, expected ${statuses.join(' or ')}`];
  return status === 404 && id !== undefined ? observer.absent(id) : [];
}

function checkSuccess(reply: Reply, outcome: Outcome, observer: Observer): string[] {
  const text = reply.body.toString();
  const { operation, id, plant, plants } = outcome;
  if (plant !== undefined) {
    const expected = JSON.stringify(fieldsOf(plant));
    const replayed = reply.headers.get('idempotent-replayed') === 'true';
    return [
      ...(text === expected ? [] : [`the body is ${text}, expected ${expected}`]),
      ...observer.stored(plant, replayed),
    ];
  }
  if (plants !== undefined) return checkResults(JSON.parse(text).results, plants, observer);
  if (operation === 'listPlants')
    return readShown(text).plants.flatMap((shown) => observer.shown(shown.id, shown));
  if (id === undefined) return [];
  if (operation === 'deletePlant') return observer.deleted(id);
  const shown = readShown(text);
  return [
    ...(shown.id === id ? [] : [`the plant ${shown.id} is shown, expected ${id}`]),
    ...observer.shown(id, shown),
  ];
}

/** A plant as a read shows it, or a page of them. */
interface Shown extends StoredPlant {
  readonly plants: readonly Shown[];
}

/** Reads a documented body, in which all numbers are ids. */
function readShown(text: string): Shown {
  return parse(text, undefined, { parseNumber: BigInt }) as Shown;
}

/** The result of a plant of a batch. */
interface Result {
  readonly status: number;
  readonly replayed?: boolean;
  readonly error?: number;
  readonly message?: string;
}

function checkResults(
  results: readonly Result[],
  plants: readonly PlantOutcome[],
  observer: Observer,
): string[] {
  if (results.length !== plants.length)
    return [`there are ${results.length} results, expected ${plants.length}`];
  const places = new Map<bigint, number>();
  return results.flatMap((result, index) => {
    const outcome = plants[index] ?? { errors: [] };
    const problems = checkResult(result, outcome, observer);
    if (outcome.plant !== undefined) {
      const { id } = outcome.plant;
      const place = placeOf(result);
      const before = places.get(id);
      // What has the same id comes one after the other.
      if (before !== undefined && (place < before || place === 0))
        problems.push(`the plant ${id} comes before an earlier one of the batch`);
      places.set(id, place);
    }
    return problems.map((problem) => `result ${index + 1}: ${problem}`);
  });
}

/** How far a result shows an id to be: free, that of a plant, or that of a deleted one. */
function placeOf({ status, replayed, error }: Result): number {
  if (status === 200) return replayed === true ? 1 : 0;
  return error === errors.id_retired.error ? 2 : 1;
}

function checkResult(result: Result, outcome: PlantOutcome, observer: Observer): string[] {
  const { status, replayed = false, error = 0, message = '' } = result;
  if (status !== 200) return checkRejection({ status, error, message }, outcome, observer);
  if (outcome.plant === undefined) return [`accepted, expected ${outcome.errors.join(' or ')}`];
  return observer.stored(outcome.plant, replayed);
}

function checkError(reply: Reply, outcome: Outcome, observer: Observer): string[] {
  const { id, operation, plants = [], errors: expected } = outcome;
  const { status } = reply;
  const { error, message } = JSON.parse(reply.body.toString()) as { error: number; message: string };
  if (id !== undefined && error === errors.plant_not_found.error)
    return operation === 'deletePlant' ? observer.neverStored(id) : observer.absent(id);
  if (operation === 'deletePlant' && id !== undefined && expected.includes(error)) observer.notDeleted(id);
  for (const { plant } of plants) if (plant !== undefined) observer.rejected(plant);
  return checkRejection({ status, error, message }, outcome, observer);
}

const namedMember = new RegExp(`[:;] (${memberNames.join('|')}) `, 'g');

/** Compares an error with what a create, or a whole request, must lead to. */
function checkRejection(
  { status, error, message }: { readonly status: number; readonly error: number; readonly message: string },
  { errors: expected, plant, invalidFields }: PlantOutcome,
  observer: Observer,
): string[] {
  if (Math.floor(error / 100) !== status) return [`status ${status} with error ${error}`];
  if (plant !== undefined && error === errors.id_taken.error) return observer.taken(plant);
  if (plant !== undefined && error === errors.id_retired.error) return observer.retired(plant);
  if (!expected.includes(error)) {
    const accepted = plant === undefined ? [] : ['200'];
    return [`error ${error}: ${message}, expected ${[...expected, ...accepted].join(' or ')}`];
  }
  if (plant !== undefined) observer.rejected(plant);
  if (invalidFields === undefined || error !== errors.invalid_plant.error) return [];
  const named = new Set([...message.matchAll(namedMember)].map(([, member]) => member));
  return named.size === invalidFields.length && invalidFields.every((field) => named.has(field))
    ? []
    : [`the message is ${message}, expected it to name ${invalidFields.join(', ')}`];
}

function checkRequestId(reply: Reply, { headers }: Pick<FramedRequest, 'headers'>): string[] {
  const given = headers.filter(([name]) => name === 'x-request-id').map(([, value]) => value);
  const [own = ''] = given;
  const isUsed = given.length === 1 && /^[\w.:-]{1,64}$/.test(own) && !own.includes('pst_');
  const id = reply.headers.get('x-request-id') ?? '';
  // What cannot be parsed as HTTP ends the connection, and its headers were not read.
  const isParsed = !(reply.status === 400 && reply.headers.get('connection') === 'close');
  if (isUsed && isParsed) return id === own ? [] : [`the request id is ${id}, expected ${own}`];
  if (isUsed && id === own) return [];
  return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(id) ? [] : [`the request id is ${id}`];
}
