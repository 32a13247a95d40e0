import { Agent, type IncomingMessage, request } from 'node:http';
import { errors } from '@plant-store/contract/errors';
import type { NewPlant } from '@plant-store/contract/operations';
import type { Request, Shown } from './history.js';
import type { Ledger, Outcome } from './ledger.js';
import { hasSameFields, parse, pickFields, toJson } from './plants.js';

/** Which service is called, and how. */
export interface CallerOptions {
  /** Such as `http://127.0.0.1:3000`. */
  readonly baseUrl: string;
  readonly token: string;
  readonly ledger: Ledger;
  readonly connections: number;
  /** How long a reply may take, in milliseconds; past that it is unexpected. 60,000 by default. */
  readonly replyTimeoutMs?: number;
}

/** A caller of a service, which sends each request once and notes it in a ledger. Nothing rejects. */
export class Caller {
  /** The longest time that the reply to a change took so far, in milliseconds. */
  longestReplyMs = 0;
  private readonly agent: Agent;

  constructor(private readonly options: CallerOptions) {
    this.agent = new Agent({ keepAlive: true, maxSockets: options.connections });
  }

  /** Creates plants by a batch. */
  async createAll(plants: readonly NewPlant[]): Promise<readonly Outcome[]> {
    const starts = new Map<bigint, number>();
    const ends = plants.map((plant) => {
      const { start, end } = this.options.ledger.note({ do: 'create', plant }, starts.get(plant.id));
      starts.set(plant.id, start);
      return end;
    });
    const reply = await this.exchange('POST', '/plants/batch', `{"plants":[${plants.map(toJson)}]}`);
    const outcomes = toOutcomes(plants, reply);
    for (const [index, end] of ends.entries()) end(outcomes[index] ?? unexpected(reply));
    return outcomes;
  }

  async send(request: Request): Promise<Outcome> {
    const { end } = this.options.ledger.note(request);
    const outcome = toOutcome(request, await this.exchange(...toHttp(request)));
    end(outcome);
    return outcome;
  }

  /** Lists the newest plants. */
  async list(): Promise<void> {
    const end = this.options.ledger.noteList();
    const reply = await this.exchange('GET', '/plants?order=newest&limit=50');
    const { plants } = parse(reply.text);
    if (reply.status === 503) end({ kind: 'rejected' });
    else if (reply.status !== 200) end(fail(reply));
    else end(Array.isArray(plants) ? { kind: 'shown', plants } : unexpected(reply));
  }

  /** Closes its connections. */
  close(): void {
    this.agent.destroy();
  }

  private async exchange(method: string, path: string, body = '', precondition = {}): Promise<Reply> {
    const { baseUrl, token, replyTimeoutMs = 60_000 } = this.options;
    const signal = AbortSignal.timeout(replyTimeoutMs);
    const sentAt = performance.now();
    try {
      const content = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      const headers = { authorization: `Bearer ${token}`, ...(body !== '' && content), ...precondition };
      const sent = request(`${baseUrl}${path}`, { method, headers, signal, agent: this.agent });
      const reply = await new Promise<IncomingMessage>((resolve, reject) => {
        sent.once('response', resolve).on('error', reject).end(body);
      });
      let text = '';
      for await (const chunk of reply.setEncoding('utf8')) text += chunk;
      return { status: reply.statusCode ?? 0, text, headers: reply.headers };
    } catch (error) {
      const code = String((error as NodeJS.ErrnoException).code);
      return {
        status: 0,
        headers: {},
        ...(signal.aborted ? { text: `no reply within ${replyTimeoutMs} ms` } : { text: '', code }),
      };
    } finally {
      if (method !== 'GET') this.longestReplyMs = Math.max(this.longestReplyMs, performance.now() - sentAt);
    }
  }
}

/** A reply; of none the status is 0, with the code of the error, unless it is that the time was over. */
interface Reply {
  readonly status: number;
  readonly text: string;
  readonly headers: IncomingMessage['headers'];
  readonly code?: string;
}

/** The method, the path, the body and the precondition of a request. */
function toHttp({ do: what, plant, match }: Request): [string, string, string?, object?] {
  const path = `/plants/${plant.id}`;
  if (what === 'create') return ['POST', '/plants', toJson(plant)];
  if (what === 'delete' || what === 'read') return [what === 'read' ? 'GET' : 'DELETE', path];
  const precondition = what === 'reuseId' ? { 'if-none-match': '*' } : { 'if-match': match?.etag ?? '*' };
  return ['PUT', path, JSON.stringify(pickFields(plant)), precondition];
}

function toOutcome({ do: what, plant }: Request, reply: Reply): Outcome {
  const { status, text, headers } = reply;
  if (what === 'create' && status !== 200) return failCreate(reply);
  if (what === 'read' && status === 503) return { kind: 'rejected' };
  if (what === 'delete' && status === 204 && text === '') return { kind: 'deleted' };
  if (status !== 200 || what === 'delete') return fail(reply);
  const shown = parse(text) as Partial<Shown> as Shown;
  if (what === 'create') {
    if (!hasSameFields(shown, plant)) return unexpected(reply);
    return { kind: headers['idempotent-replayed'] === 'true' ? 'replayed' : 'stored' };
  }
  const { etag } = headers;
  if (shown.id !== plant.id || etag === undefined) return unexpected(reply);
  return { kind: 'shown', plants: [{ ...shown, etag }] };
}

function toOutcomes(plants: readonly NewPlant[], reply: Reply): readonly Outcome[] {
  if (reply.status !== 200) return plants.map(() => failCreate(reply));
  const { results } = parse(reply.text);
  if (!Array.isArray(results)) return [];
  return results.map((result): Outcome => {
    if (result.status === 200) return { kind: result.replayed === true ? 'replayed' : 'stored' };
    // That a retry helps is said of the batch by its documents.
    const headers = { 'retry-after': '1' };
    return failCreate({ status: result.status, text: JSON.stringify(result), headers });
  });
}

function failCreate(reply: Reply): Outcome {
  if (reply.status === 400 && numberOf(reply) === errors.id_taken.error) return { kind: 'taken' };
  if (reply.status === 400 && numberOf(reply) === errors.id_retired.error) return { kind: 'retired' };
  const outcome = fail(reply);
  return ['not found', 'failed'].includes(outcome.kind) ? unexpected(reply) : outcome;
}

const unexpected = ({ status, text }: Reply) =>
  ({ kind: 'unexpected', reply: `${status} ${text.slice(0, 200)}` }) as const;

const numberOf = ({ text }: Reply) => Number(parse(text)['error']);

function fail(reply: Reply): Outcome {
  const { status, headers, code } = reply;
  if (code !== undefined) return { kind: 'no reply', code };
  const error = numberOf(reply);
  if (Math.floor(error / 100) !== status) return unexpected(reply);
  if (error === errors.plant_not_found.error) return { kind: 'not found' };
  if (error === errors.precondition_failed.error) return { kind: 'failed' };
  if (error === errors.database_damaged.error) return { kind: 'damaged' };
  // Each of these is documented with a Retry-After, by which a caller knows that a retry helps.
  if (!/^\d+$/.test(headers['retry-after'] ?? '')) return unexpected(reply);
  if (error === errors.overloaded.error || error === errors.shutting_down.error) return { kind: 'rejected' };
  return error === errors.database_unavailable.error ? { kind: 'unavailable' } : unexpected(reply);
}
