import { Agent, type IncomingMessage, request } from 'node:http';
import { errors } from '@plant-store/contract/errors';
import { errorNamesOf } from '@plant-store/contract/resource';
import type { Request } from './history.js';
import type { Ledger, Outcome } from './ledger.js';
import { type Operation, requestOf } from './operations.js';
import { type NewRecord, parse, type TestedResource, toJson, toShownRecord } from './records.js';

/** Which service to call, and how. */
export interface CallerOptions {
  /** The service's URL, such as `http://127.0.0.1:3000`. */
  readonly baseUrl: string;
  readonly token: string;
  readonly ledger: Ledger;
  readonly connections: number;
  /** How long the service may take to reply, in milliseconds, before the outcome counts as unexpected. Default: 60,000. */
  readonly replyTimeoutMs?: number;
}

/** Calls a service. Sends each request once, and records the request and its outcome in a ledger. The methods never reject. */
export class Caller {
  /** The longest time that a write has taken so far, in milliseconds. */
  longestReplyMs = 0;
  private readonly agent: Agent;

  constructor(private readonly options: CallerOptions) {
    this.agent = new Agent({ keepAlive: true, maxSockets: options.connections });
  }

  /** Creates several records of one resource with a batch request. */
  async createAll(resource: TestedResource, records: readonly NewRecord[]): Promise<readonly Outcome[]> {
    const starts = new Map<bigint, number>();
    const ends = records.map((record) => {
      const { start, end } = this.options.ledger.note({ action: 'create', record }, starts.get(record.id));
      starts.set(record.id, start);
      return end;
    });
    const body = toJson({ [resource.plural]: records.map(toBody) });
    const reply = await this.exchange(...requestOf({ resource }, 'createMany'), body);
    const outcomes = toOutcomes(resource, records, reply);
    for (const [index, end] of ends.entries()) end(outcomes[index] ?? unexpected(reply));
    return outcomes;
  }

  async send(request: Request): Promise<Outcome> {
    const { end } = this.options.ledger.note(request);
    const outcome = toOutcome(request, await this.exchange(...toHttp(request)));
    end(outcome);
    return outcome;
  }

  /** Lists a resource's newest records. */
  async list(resource: TestedResource): Promise<void> {
    const end = this.options.ledger.noteList();
    const [method, path] = requestOf({ resource }, 'list');
    const reply = await this.exchange(method, `${path}?order=newest&limit=50`);
    const { [resource.plural]: page } = parse(reply.text);
    if (reply.status === 503) end({ kind: 'rejected' });
    else if (reply.status !== 200) end(toFailureOutcome(reply, resource));
    else if (!Array.isArray(page)) end(unexpected(reply));
    else end({ kind: 'shown', records: page.map((record) => toShownRecord(resource, record)) });
  }

  /** Closes all connections. */
  close(): void {
    this.agent.destroy();
  }

  /** Sends a request, and resolves with the reply, or with status 0 if there is none. */
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

/** A reply. If there was no reply, the status is 0, and `code` is the error code, unless the request timed out. */
interface Reply {
  readonly status: number;
  readonly text: string;
  readonly headers: IncomingMessage['headers'];
  readonly code?: string;
}

const toBody = ({ id, fields }: NewRecord) => ({ id, ...fields });

/** The API operation that carries out each action. */
export const operationByRequest: Readonly<Record<Request['action'], Operation>> = {
  create: 'create',
  read: 'get',
  update: 'update',
  reuseId: 'update',
  delete: 'delete',
  follow: 'changes',
};

/** Converts a request to its method, path, body, and precondition headers. */
function toHttp({ action, record, match }: Request): [string, string, string?, object?] {
  const [method, path] = requestOf(record, operationByRequest[action]);
  if (action === 'create') return [method, path, toJson(toBody(record))];
  if (action === 'delete' || action === 'read') return [method, path];
  const precondition = action === 'reuseId' ? { 'if-none-match': '*' } : { 'if-match': match?.etag ?? '*' };
  return [method, path, toJson(record.fields), precondition];
}

function toOutcome({ action, record }: Request, reply: Reply): Outcome {
  const { status, text, headers } = reply;
  const { resource } = record;
  if (action === 'create' && status !== 200) return toFailedCreateOutcome(reply, resource);
  if (action === 'read' && status === 503) return { kind: 'rejected' };
  if (action === 'delete' && status === 204 && text === '') return { kind: 'deleted' };
  if (status !== 200 || action === 'delete') return toFailureOutcome(reply, resource);
  const shown = toShownRecord(resource, parse(text), headers.etag);
  if (action === 'create') {
    if (!resource.isSame(shown.fields, record.fields)) return unexpected(reply);
    return { kind: headers['idempotent-replayed'] === 'true' ? 'replayed' : 'stored' };
  }
  if (shown.id !== record.id || shown.etag === undefined) return unexpected(reply);
  return { kind: 'shown', records: [shown] };
}

function toOutcomes(
  resource: TestedResource,
  records: readonly NewRecord[],
  reply: Reply,
): readonly Outcome[] {
  if (reply.status !== 200) return records.map(() => toFailedCreateOutcome(reply, resource));
  const { results } = parse(reply.text);
  if (!Array.isArray(results)) return [];
  return results.map((result): Outcome => {
    const status = Number(result.status);
    if (status === 200) return { kind: result.replayed === true ? 'replayed' : 'stored' };
    // A batch item has no headers. The API documents which errors of items can be retried.
    const headers = { 'retry-after': '1' };
    return toFailedCreateOutcome({ status, text: toJson(result), headers }, resource);
  });
}

function toFailedCreateOutcome(reply: Reply, resource: TestedResource): Outcome {
  if (reply.status === 400 && errorNumberOf(reply) === errors.id_taken.error) return { kind: 'taken' };
  if (reply.status === 400 && errorNumberOf(reply) === errors.id_retired.error) return { kind: 'retired' };
  const outcome = toFailureOutcome(reply, resource);
  return ['not found', 'failed'].includes(outcome.kind) ? unexpected(reply) : outcome;
}

const unexpected = ({ status, text }: Reply) =>
  ({ kind: 'unexpected', reply: `${status} ${text.slice(0, 200)}` }) as const;

const errorNumberOf = ({ text }: Reply) => Number(parse(text)['error']);

function toFailureOutcome(reply: Reply, resource: TestedResource): Outcome {
  const { status, headers, code } = reply;
  if (code !== undefined) return { kind: 'no reply', code };
  const error = errorNumberOf(reply);
  if (Math.floor(error / 100) !== status) return unexpected(reply);
  if (error === errors[errorNamesOf(resource).notFound].error) return { kind: 'not found' };
  if (error === errors.precondition_failed.error) return { kind: 'failed' };
  if (error === errors.database_damaged.error) return { kind: 'damaged' };
  // The remaining errors are temporary, so the reply must have a Retry-After header.
  if (!/^\d+$/.test(headers['retry-after'] ?? '')) return unexpected(reply);
  if (error === errors.overloaded.error || error === errors.shutting_down.error) return { kind: 'rejected' };
  return error === errors.database_unavailable.error ? { kind: 'unavailable' } : unexpected(reply);
}
