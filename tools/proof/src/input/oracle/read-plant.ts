import { errors } from '@plant-store/contract/errors';
import { parse } from 'lossless-json';
import type { StoredPlant } from '../../databases/database.js';
import { ExactNumber, readExactNumber } from './exact-number.js';

/** Levels of nesting past which a body is rejected (docs/use/api.md, Requests). */
const maxDepth = 500;

/** The most plants of a batch (docs/use/api.md, Batches). */
const maxPlants = 1_000;

/** A plant as it is sent. */
export interface SentPlant extends StoredPlant {
  readonly id: bigint;
}

/** What a create must lead to: one of the errors, or the plant if there is one; either, if both are there. */
export interface PlantOutcome {
  readonly errors: readonly number[];
  readonly plant?: SentPlant;
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
  return readBody(body, toPlant);
}

/** The same for the body of a batch. */
export function readBatch(body: Uint8Array): BatchOutcome {
  return readBody(body, toBatch);
}

function readBody<Outcome extends { readonly errors: readonly number[] }>(
  body: Uint8Array,
  toOutcome: (value: unknown) => Outcome,
): Outcome | typeof malformed {
  let text: string;
  try {
    text = decoder.decode(body);
  } catch {
    return malformed;
  }
  if (!isJson(text) || readDepth(text) > maxDepth || hasProtoMember(text)) return malformed;
  const { value, conflicting, respelled } = parseExactly(text);
  if (conflicting) return malformed;
  const outcome = toOutcome(value);
  // Whether 1.5 and 15e-1 are equal values for a member that is ignored, the documents leave open.
  return respelled ? { ...outcome, errors: [...outcome.errors, ...malformed.errors] } : outcome;
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

/** @throws {SyntaxError} if it is not JSON */
function parseExactly(json: string) {
  let conflicting = false;
  let respelled = false;
  const spellings = new Map<string, string>();
  const parseNumber = (literal: string): ExactNumber | bigint => {
    const number = readExactNumber(literal);
    if (number.int64 !== undefined) return number.int64;
    respelled ||= (spellings.get(number.canonical) ?? literal) !== literal;
    spellings.set(number.canonical, literal);
    return number;
  };
  const onDuplicateKey = () => {
    conflicting = true;
  };
  const value = parse(json, undefined, { parseNumber, onDuplicateKey });
  return { value, conflicting, respelled };
}

function toBatch(value: unknown): BatchOutcome {
  const { plants } = membersOf(value) ?? {};
  if (!Array.isArray(plants) || plants.length === 0) return invalid;
  if (plants.length > maxPlants) return { errors: [errors.batch_too_large.error] };
  return { errors: [], plants: plants.map(toPlant) };
}

function toPlant(value: unknown): PlantOutcome {
  const members = membersOf(value);
  if (members === undefined) return invalid;
  const { id, name, tag } = members;
  if (typeof id === 'bigint' && isText(name) && (tag === undefined || isText(tag)))
    return { errors: [], plant: { id, name, tag: tag ?? null } };
  const invalidFields = [
    ...(typeof id === 'bigint' ? [] : ['id']),
    ...(isText(name) ? [] : ['name']),
    ...(tag === undefined || isText(tag) ? [] : ['tag']),
  ];
  return { ...invalid, invalidFields };
}

/** The members of an object, and no others; `undefined` if it is none. */
function membersOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  const isObject = typeof value === 'object' && value !== null;
  if (!isObject || Array.isArray(value) || value instanceof ExactNumber) return undefined;
  return Object.assign(Object.create(null), value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\0') && value.isWellFormed();
}
