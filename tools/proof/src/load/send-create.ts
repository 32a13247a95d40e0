import { type Agent, type IncomingMessage, request } from 'node:http';
import { hasSameFields } from '@plant-store/contract/fields';
import type { NewPlant, Plant } from '@plant-store/contract/operations';
import { toJson } from '../plant.js';

/** Which service gets a create, and how. */
export interface Target {
  /** Such as `http://127.0.0.1:3000`. */
  readonly baseUrl: string;
  readonly token: string;
}

/**
 * What a caller knows after a request that failed. `rejected`: it changed nothing. `unavailable` and `damaged` (503
 * `database_unavailable` and `database_damaged`) and `no reply`: nobody knows. `unexpected`: a reply that is not documented, or none within the time limit.
 */
export type Failure =
  | { readonly kind: 'rejected' | 'unavailable' | 'damaged' }
  | { readonly kind: 'no reply'; readonly code: string }
  | { readonly kind: 'unexpected'; readonly reply: string };

/** What a caller knows after a create. `retired`: the plant with its id was deleted. */
export type Outcome = { readonly kind: 'stored' | 'replayed' | 'taken' | 'retired' } | Failure;

/** What a caller knows after a delete. */
export type DeleteOutcome = { readonly kind: 'deleted' | 'not found' } | Failure;

/** The errors of the API after which nothing was changed by the request, besides those of a plant. */
const rejections: readonly number[] = [50300, 50302];
const idTaken = 40003;
const idRetired = 40007;
const plantNotFound = 40401;
const databaseUnavailable = 50301;
const databaseDamaged = 50303;

/** A service, and the connections to it. */
export type Caller = Target & { readonly agent: Agent };

/** A reply, or what is known without one. */
type Exchange = { readonly reply: IncomingMessage; readonly text: string } | { readonly outcome: Failure };

/**
 * Sends `POST /plants` once. Never rejects.
 *
 * @param timeoutMs how long the reply may take in all
 */
export async function sendCreate(caller: Caller, plant: NewPlant, timeoutMs: number): Promise<Outcome> {
  const exchange = await send(caller, 'POST', '/plants', timeoutMs, toJson(plant));
  if ('outcome' in exchange) return exchange.outcome;
  return toOutcome(plant, exchange.reply, exchange.text);
}

/** Sends `POST /plants/batch` once, and returns the outcome of each plant. Never rejects. */
export async function sendBatch(
  caller: Caller,
  plants: readonly NewPlant[],
  timeoutMs: number,
): Promise<readonly Outcome[]> {
  const body = `{"plants":[${plants.map(toJson)}]}`;
  const exchange = await send(caller, 'POST', '/plants/batch', timeoutMs, body);
  if ('outcome' in exchange) return plants.map(() => exchange.outcome);
  const { reply, text } = exchange;
  const { results } = parse(text);
  if (reply.statusCode !== 200)
    return plants.map(() => toFailedCreate(reply, text, reply.headers['retry-after']));
  if (!Array.isArray(results) || results.length !== plants.length)
    return plants.map((): Outcome => ({ kind: 'unexpected', reply: text.slice(0, 200) }));
  return results.map((result): Outcome => {
    if (result.status === 200) return { kind: result.replayed === true ? 'replayed' : 'stored' };
    // That a retry helps is said of the batch by its documents.
    return toFailedCreate({ statusCode: result.status }, JSON.stringify(result), '1');
  });
}

/** Sends `DELETE /plants/{id}` once. Never rejects. */
export async function sendDelete(caller: Caller, id: bigint, timeoutMs: number): Promise<DeleteOutcome> {
  const exchange = await send(caller, 'DELETE', `/plants/${id}`, timeoutMs);
  if ('outcome' in exchange) return exchange.outcome;
  const { reply, text } = exchange;
  if (reply.statusCode === 204 && text === '') return { kind: 'deleted' };
  if (reply.statusCode === 404 && parse(text)['error'] === plantNotFound) return { kind: 'not found' };
  return toFailure(reply, text, reply.headers['retry-after']);
}

/** The plants that a read shows; `undefined` if it had no reply, or one that says that the service cannot read now. */
export interface Shown {
  readonly plants: readonly NewPlant[];
  /** A reply that is not documented. */
  readonly problem?: string;
}

/** Sends `GET /plants/{id}` or a list once. Never rejects. */
export async function sendRead(caller: Caller, path: string, timeoutMs: number): Promise<Shown | undefined> {
  const exchange = await send(caller, 'GET', path, timeoutMs);
  if ('outcome' in exchange) {
    const { outcome } = exchange;
    return outcome.kind === 'unexpected' ? { plants: [], problem: outcome.reply } : undefined;
  }
  const { reply, text } = exchange;
  if (reply.statusCode === 503) return undefined;
  if (reply.statusCode === 404 && parse(text)['error'] === plantNotFound) return { plants: [] };
  if (reply.statusCode !== 200) return { plants: [], problem: `${reply.statusCode} ${text.slice(0, 200)}` };
  const { plants = [parse(text)] } = parse(text);
  if (!Array.isArray(plants)) return { plants: [], problem: text.slice(0, 200) };
  return { plants };
}

async function send(
  { baseUrl, token, agent }: Caller,
  method: string,
  path: string,
  timeoutMs: number,
  body = '',
): Promise<Exchange> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const sent = request(`${baseUrl}${path}`, {
      method,
      agent,
      signal: timeout,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== '' && {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        }),
      },
    });
    const reply = await new Promise<IncomingMessage>((resolve, reject) => {
      sent.once('response', resolve).on('error', reject).end(body);
    });
    let text = '';
    for await (const chunk of reply.setEncoding('utf8')) text += chunk;
    return { reply, text };
  } catch (error) {
    if (timeout.aborted) return { outcome: { kind: 'unexpected', reply: `no reply within ${timeoutMs} ms` } };
    return { outcome: { kind: 'no reply', code: String((error as NodeJS.ErrnoException).code) } };
  }
}

function toOutcome(plant: NewPlant, { statusCode, headers }: IncomingMessage, text: string): Outcome {
  const unexpected: Outcome = { kind: 'unexpected', reply: `${statusCode} ${text.slice(0, 200)}` };
  if (statusCode === 200) {
    if (!hasSameFields(parse(text) as Plant, plant)) return unexpected;
    return { kind: headers['idempotent-replayed'] === 'true' ? 'replayed' : 'stored' };
  }
  return toFailedCreate({ statusCode }, text, headers['retry-after']);
}

function toFailedCreate(reply: FailedReply, text: string, retryAfter = ''): Outcome {
  const error = parse(text)['error'];
  if (reply.statusCode === 400 && error === idTaken) return { kind: 'taken' };
  if (reply.statusCode === 400 && error === idRetired) return { kind: 'retired' };
  return toFailure(reply, text, retryAfter);
}

type FailedReply = Pick<IncomingMessage, 'statusCode'>;

function toFailure({ statusCode }: FailedReply, text: string, retryAfter = ''): Failure {
  const unexpected: Failure = { kind: 'unexpected', reply: `${statusCode} ${text.slice(0, 200)}` };
  const error = Number(parse(text)['error']);
  if (Math.floor(error / 100) !== statusCode) return unexpected;
  if (error === databaseDamaged) return { kind: 'damaged' };
  // Each of these is documented with a Retry-After, by which a caller knows that a retry helps.
  if (!/^\d+$/.test(retryAfter)) return unexpected;
  if (rejections.includes(error)) return { kind: 'rejected' };
  return error === databaseUnavailable ? { kind: 'unavailable' } : unexpected;
}

/** Parses a JSON object, with every digit of an id; what is none is an empty one. */
export function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = (JSON.parse as Parse)(text, (name, value, context) =>
      name === 'id' ? BigInt(context.source) : value,
    );
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** `JSON.parse` as Node.js has it: with the source text of each value, which has all digits of an id. */
type Parse = (
  text: string,
  reviver: (name: string, value: unknown, context: { readonly source: string }) => unknown,
) => unknown;
