import { errors } from '@plant-store/contract/errors';
import { parse } from 'lossless-json';
import type { StoredPlant } from '../../databases/database.js';
import { type ExactNumber, readExactNumber } from './exact-number.js';

/** Levels of nesting past which a body is rejected (docs/api.md, Requests). */
const maxDepth = 500;

/** What a body must lead to: one of the errors, or the plant if there is one; either, if both are there. */
export interface BodyOutcome {
  readonly errors: readonly number[];
  readonly plant?: StoredPlant & { readonly id: bigint };
}

const malformed: BodyOutcome = { errors: [errors.malformed_json.error] };
const invalid: BodyOutcome = { errors: [errors.invalid_plant.error] };

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decides by docs/api.md, and by parsers that are not the service's, what the service must make of a body. */
export function readPlant(body: Uint8Array): BodyOutcome {
  let text: string;
  try {
    text = decoder.decode(body);
  } catch {
    return malformed;
  }
  if (!isJson(text) || readDepth(text) > maxDepth || hasProtoMember(text)) return malformed;
  const { value, conflicting, respelled } = parseExactly(text);
  if (conflicting) return malformed;
  const outcome = toPlant(value);
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

function toPlant(value: unknown): BodyOutcome {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return invalid;
  const [id, name, tag] = ['id', 'name', 'tag'].map((key) =>
    Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined,
  );
  if (typeof id !== 'bigint' || !isText(name) || !(tag === undefined || isText(tag))) return invalid;
  return { errors: [], plant: { id, name, tag: tag ?? null } };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\0') && value.isWellFormed();
}
