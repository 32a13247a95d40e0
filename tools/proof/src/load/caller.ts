import { Agent, type IncomingMessage, request } from 'node:http';
import { errors } from '@plant-store/contract/errors';
import { hasSameFields } from '@plant-store/contract/fields';
import type { NewPlant, Plant } from '@plant-store/contract/operations';
import type { CreateOutcome, DeleteOutcome, Failure, Ledger, ReadOutcome } from './ledger.js';
import { parse, toJson } from './plants.js';

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
  /** The longest time that the reply to a create or a delete took so far, in milliseconds. */
  longestReplyMs = 0;
  private readonly agent: Agent;

  constructor(private readonly options: CallerOptions) {
    this.agent = new Agent({ keepAlive: true, maxSockets: options.connections });
  }

  /** Creates a plant, or several by a batch. */
  async create(...plants: readonly NewPlant[]): Promise<readonly CreateOutcome[]> {
    const ends = plants.map((plant) => this.options.ledger.create(plant));
    const outcomes = await this.measure(this.sendCreates(plants));
    for (const [index, outcome] of outcomes.entries()) ends[index]?.(outcome);
    return outcomes;
  }

  async delete(id: bigint): Promise<DeleteOutcome> {
    const end = this.options.ledger.delete(id);
    const reply = await this.measure(this.send('DELETE', `/plants/${id}`));
    const outcome: DeleteOutcome =
      reply.status === 204 && reply.text === '' ? { kind: 'deleted' } : fail(reply);
    end(outcome);
    return outcome;
  }

  /** Shows a plant, or without an id the newest ones. */
  async read(id?: bigint): Promise<ReadOutcome> {
    const end = this.options.ledger.read(id);
    const path = id === undefined ? '/plants?order=newest&limit=50' : `/plants/${id}`;
    const outcome = toReadOutcome(await this.send('GET', path));
    end(outcome);
    return outcome;
  }

  /** Closes its connections. */
  close(): void {
    this.agent.destroy();
  }

  private async measure<Result>(sending: Promise<Result>): Promise<Result> {
    const sentAt = performance.now();
    const result = await sending;
    this.longestReplyMs = Math.max(this.longestReplyMs, performance.now() - sentAt);
    return result;
  }

  private async sendCreates(plants: readonly NewPlant[]): Promise<readonly CreateOutcome[]> {
    const [plant] = plants;
    if (plant !== undefined && plants.length === 1)
      return [toCreateOutcome(plant, await this.send('POST', '/plants', toJson(plant)))];
    const reply = await this.send('POST', '/plants/batch', `{"plants":[${plants.map(toJson)}]}`);
    if (reply.status !== 200) return plants.map(() => failCreate(reply));
    const { results } = parse(reply.text);
    if (!Array.isArray(results) || results.length !== plants.length)
      return plants.map(() => ({ kind: 'unexpected', reply: reply.text.slice(0, 200) }));
    return results.map((result): CreateOutcome => {
      if (result.status === 200) return { kind: result.replayed === true ? 'replayed' : 'stored' };
      // That a retry helps is said of the batch by its documents.
      const headers = { 'retry-after': '1' };
      return failCreate({ status: result.status, text: JSON.stringify(result), headers });
    });
  }

  private async send(method: string, path: string, body = ''): Promise<Reply> {
    const { baseUrl, token, replyTimeoutMs = 60_000 } = this.options;
    const signal = AbortSignal.timeout(replyTimeoutMs);
    try {
      const content = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      const headers = { authorization: `Bearer ${token}`, ...(body !== '' && content) };
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

function toCreateOutcome(plant: NewPlant, reply: Reply): CreateOutcome {
  if (reply.status !== 200) return failCreate(reply);
  if (!hasSameFields(parse(reply.text) as Plant, plant)) return unexpected(reply);
  return { kind: reply.headers['idempotent-replayed'] === 'true' ? 'replayed' : 'stored' };
}

function toReadOutcome(reply: Reply): ReadOutcome {
  if (reply.status === 503) return { kind: 'rejected' };
  if (reply.status !== 200) return fail(reply);
  const shown = parse(reply.text);
  const { plants = [shown] } = shown;
  return Array.isArray(plants) ? { kind: 'shown', plants } : unexpected(reply);
}

function failCreate(reply: Reply): CreateOutcome {
  if (reply.status === 400 && numberOf(reply) === errors.id_taken.error) return { kind: 'taken' };
  if (reply.status === 400 && numberOf(reply) === errors.id_retired.error) return { kind: 'retired' };
  const outcome = fail(reply);
  return outcome.kind === 'not found' ? unexpected(reply) : outcome;
}

const unexpected = ({ status, text }: Reply) =>
  ({ kind: 'unexpected', reply: `${status} ${text.slice(0, 200)}` }) as const;

const numberOf = ({ text }: Reply) => Number(parse(text)['error']);

function fail(reply: Reply): Failure | { readonly kind: 'not found' } {
  const { status, headers, code } = reply;
  if (code !== undefined) return { kind: 'no reply', code };
  const error = numberOf(reply);
  if (Math.floor(error / 100) !== status) return unexpected(reply);
  if (error === errors.plant_not_found.error) return { kind: 'not found' };
  if (error === errors.database_damaged.error) return { kind: 'damaged' };
  // Each of these is documented with a Retry-After, by which a caller knows that a retry helps.
  if (!/^\d+$/.test(headers['retry-after'] ?? '')) return unexpected(reply);
  if (error === errors.overloaded.error || error === errors.shutting_down.error) return { kind: 'rejected' };
  return error === errors.database_unavailable.error ? { kind: 'unavailable' } : unexpected(reply);
}
