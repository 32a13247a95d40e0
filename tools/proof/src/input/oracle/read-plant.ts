import { isDeepStrictEqual } from 'node:util';
import { errors } from '@plant-store/contract/errors';
import type { NewPlant } from '@plant-store/contract/operations';
import { isRequired, memberNames } from '../../plant.js';
import { type ExactNumber, readExactNumber } from './exact-number.js';

/** Levels of nesting past which a body is rejected (docs/use/api.md, Requests). */
const maxDepth = 500;

/** The most plants of a batch (docs/use/api.md, Batches). */
const maxPlants = 1_000;

/** What a create must lead to: one of the errors, or the plant if there is one; either, if both are there. */
export interface PlantOutcome {
  readonly errors: readonly number[];
  readonly plant?: NewPlant;
  /** The fields that the message of `invalid_plant` must name, if the plant is an object. */
  readonly invalidFields?: readonly string[];
}

/** What a batch must lead to: one of the errors, or the outcome of each plant. */
export interface BatchOutcome {
  readonly errors: readonly number[];
  readonly plants?: readonly PlantOutcome[];
}

const malformed = { errors: [errors.malformed_json.error] };
const invalid = { errors: [errors.invalid_plant.error] };

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decides by docs/use/api.md, and by parsers that are not the service's, what the service must make of the body of a create. */
export function readPlant(body: Uint8Array): PlantOutcome {
  return readBody(body, plantOf, toPlant);
}

/** The same for the body of a batch. */
export function readBatch(body: Uint8Array): BatchOutcome {
  return readBody(body, batchOf, toBatch);
}

function readBody<Outcome extends { readonly errors: readonly number[] }>(
  body: Uint8Array,
  meaningOf: (value: Json) => Meaning,
  toOutcome: (meaning: Meaning) => Outcome,
): Outcome | typeof malformed {
  let text: string;
  try {
    text = decoder.decode(body);
  } catch {
    return malformed;
  }
  if (!isJson(text) || readDepth(text) > maxDepth || hasProtoMember(text)) return malformed;
  const { value, respelled } = readJson(text);
  try {
    const outcome = toOutcome(meaningOf(value));
    // Whether 1.5 and 15e-1 are equal values for one member, the documents leave open.
    return respelled ? { ...outcome, errors: [...outcome.errors, ...malformed.errors] } : outcome;
  } catch (error) {
    if (error instanceof Ambiguous) return malformed;
    throw error;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function readDepth(json: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[[{\]}]/gs)) {
    if (token === '[' || token === '{') deepest = Math.max(deepest, ++depth);
    else if (token === ']' || token === '}') depth--;
  }
  return deepest;
}

function hasProtoMember(json: string): boolean {
  const strings = [...json.matchAll(/("(?:[^"\\]|\\.)*")[ \t\n\r]*(:)?/gs)];
  return strings.some(([, text = '', colon]) => colon !== undefined && JSON.parse(text) === '__proto__');
}

type Json = string | boolean | null | bigint | ExactNumber | readonly Json[] | Members;

/** The members of an object as they are written, those with the same name included. */
class Members {
  constructor(readonly all: readonly (readonly [name: string, value: Json])[]) {}
}

/** Reads a valid JSON text, and finds out whether a number that is no int64 has several spellings in it. */
function readJson(json: string): { value: Json; respelled: boolean } {
  let respelled = false;
  const spellings = new Map<string, string>();
  const tokens = json.matchAll(/"(?:[^"\\]|\\.)*"|[[{\]}]|[^ \t\n\r,:[{\]}"]+/gs);
  const next = (): string => tokens.next().value?.[0] ?? '';
  const readNumber = (literal: string): ExactNumber | bigint => {
    const number = readExactNumber(literal);
    if (number.int64 !== undefined) return number.int64;
    respelled ||= (spellings.get(number.canonical) ?? literal) !== literal;
    spellings.set(number.canonical, literal);
    return number;
  };
  const readValue = (token: string): Json => {
    if (token === '[') {
      const items: Json[] = [];
      for (let item = next(); item !== ']'; item = next()) items.push(readValue(item));
      return items;
    }
    if (token === '{') {
      const members: [string, Json][] = [];
      for (let name = next(); name !== '}'; name = next())
        members.push([JSON.parse(name), readValue(next())]);
      return new Members(members);
    }
    return /^[-\d]/.test(token) ? readNumber(token) : JSON.parse(token);
  };
  const value = readValue(next());
  return { value, respelled };
}

/** What of a body has a meaning: of an object the members that are known, of an array or an object elsewhere nothing. */
type Meaning = Exclude<Json, readonly Json[] | Members> | readonly Meaning[] | ReadonlyMap<string, Meaning>;

class Ambiguous extends Error {}

const leaves = Object.fromEntries(memberNames.map((name) => [name, leafOf]));
const plantOf = (value: Json): Meaning => membersOf(value, leaves);
const batchOf = (value: Json): Meaning => membersOf(value, { plants: plantsOf });

function plantsOf(value: Json): Meaning {
  if (!Array.isArray(value)) return leafOf(value);
  return value.map((item, index) => (index < maxPlants ? plantOf(item) : null));
}

function leafOf(value: Json): Meaning {
  if (value instanceof Members) return new Map();
  return Array.isArray(value) ? [] : (value as Meaning);
}

/** @throws {Ambiguous} if a member that is known is there with different values */
function membersOf(value: Json, known: Readonly<Record<string, (value: Json) => Meaning>>): Meaning {
  if (!(value instanceof Members)) return leafOf(value);
  const meanings = new Map<string, Meaning>();
  for (const [name, member] of value.all) {
    if (!Object.hasOwn(known, name)) continue;
    const meaning = known[name]?.(member) ?? null;
    if (meanings.has(name) && !isDeepStrictEqual(meanings.get(name), meaning)) throw new Ambiguous();
    meanings.set(name, meaning);
  }
  return meanings;
}

function toBatch(batch: Meaning): BatchOutcome {
  const plants = batch instanceof Map ? batch.get('plants') : undefined;
  if (!Array.isArray(plants) || plants.length === 0) return invalid;
  if (plants.length > maxPlants) return { errors: [errors.batch_too_large.error] };
  return { errors: [], plants: plants.map(toPlant) };
}

function toPlant(value: Meaning): PlantOutcome {
  if (!(value instanceof Map)) return invalid;
  const invalidFields = memberNames.filter((name) => !isValid(name, value.get(name)));
  if (invalidFields.length > 0) return { ...invalid, invalidFields };
  return { errors: [], plant: Object.fromEntries(value) as NewPlant };
}

function isValid(name: keyof NewPlant, value: unknown): boolean {
  if (name === 'id') return typeof value === 'bigint';
  return isText(value) || (value === undefined && !isRequired(name));
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\0') && value.isWellFormed();
}
