import { type Agent, type IncomingMessage, request } from 'node:http';
import type { SentPlant } from './random-plants.js';

/** Which service gets a create, and how. */
export interface Target {
  /** Such as `http://127.0.0.1:3000`. */
  readonly baseUrl: string;
  readonly token: string;
}

/**
 * What a caller knows after a create. `rejected`: this request stored nothing. `unavailable` and `damaged` (503
 * `database_unavailable` and `database_damaged`) and `no reply`: nobody knows. `unexpected`: a reply that is not documented, or none within the time limit.
 */
export type Outcome =
  | { readonly kind: 'stored' | 'replayed' | 'taken' | 'rejected' | 'unavailable' | 'damaged' }
  | { readonly kind: 'no reply'; readonly code: string }
  | { readonly kind: 'unexpected'; readonly reply: string };

/** The errors of the API after which nothing was stored by the request, besides `id_taken`. */
const rejections: readonly number[] = [50300, 50302];
const idTaken = 40003;
const databaseUnavailable = 50301;
const databaseDamaged = 50303;

/**
 * Sends `POST /plants` once. Never rejects.
 *
 * @param timeoutMs how long the reply may take in all
 */
export async function sendCreate(
  { baseUrl, token, agent }: Target & { readonly agent: Agent },
  plant: SentPlant,
  timeoutMs: number,
): Promise<Outcome> {
  const body = toJson(plant);
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const sent = request(`${baseUrl}/plants`, {
      method: 'POST',
      agent,
      signal: timeout,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      },
    });
    const reply = await new Promise<IncomingMessage>((resolve, reject) => {
      sent.once('response', resolve).on('error', reject).end(body);
    });
    let text = '';
    for await (const chunk of reply.setEncoding('utf8')) text += chunk;
    return toOutcome(plant, reply, text);
  } catch (error) {
    if (timeout.aborted) return { kind: 'unexpected', reply: `no reply within ${timeoutMs} ms` };
    return { kind: 'no reply', code: String((error as NodeJS.ErrnoException).code) };
  }
}

/** The id is written by hand: a number of JavaScript would round it. */
function toJson({ id, name, tag }: SentPlant): string {
  const members = [`"id":${id}`, `"name":${JSON.stringify(name)}`];
  if (tag !== undefined) members.push(`"tag":${JSON.stringify(tag)}`);
  return `{${members.join(',')}}`;
}

function toOutcome(
  { name, tag }: SentPlant,
  { statusCode, headers }: IncomingMessage,
  text: string,
): Outcome {
  const unexpected: Outcome = { kind: 'unexpected', reply: `${statusCode} ${text.slice(0, 200)}` };
  if (statusCode === 200) {
    const body = parse(text);
    if (body['name'] !== name || body['tag'] !== tag) return unexpected;
    return { kind: headers['idempotent-replayed'] === 'true' ? 'replayed' : 'stored' };
  }
  const error = Number(parse(text)['error']);
  if (Math.floor(error / 100) !== statusCode) return unexpected;
  if (error === idTaken) return { kind: 'taken' };
  if (error === databaseDamaged) return { kind: 'damaged' };
  // Each of these is documented with a Retry-After, by which a caller knows that a retry helps.
  if (!/^\d+$/.test(headers['retry-after'] ?? '')) return unexpected;
  if (rejections.includes(error)) return { kind: 'rejected' };
  return error === databaseUnavailable ? { kind: 'unavailable' } : unexpected;
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
