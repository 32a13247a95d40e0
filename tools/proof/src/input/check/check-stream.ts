import { errors } from '@plant-store/contract/errors';
import type { Connection, Exchange } from '../exchange/connection.js';
import type { Reply } from '../exchange/read-replies.js';
import { expectOfHead, expectOutcome, type Outcome, type ServiceSettings } from '../oracle/expect-outcome.js';
import {
  type FramedRequest,
  type FramedStream,
  isPersistent,
  readRequests,
} from '../oracle/read-requests.js';
import { findUndocumented } from './documented-reply.js';
import type { Ledger } from './ledger.js';

/** What became of the bytes of a stream. */
export interface CheckedStream {
  readonly requests: number;
  /** The status of each reply. */
  readonly statuses: readonly number[];
  readonly problems: readonly string[];
}

/** Sends bytes on a connection, and compares each reply with what the documents promise. */
export async function checkStream(
  bytes: Buffer,
  cuts: readonly number[],
  connection: Connection,
  settings: ServiceSettings,
  ledger: Ledger,
): Promise<CheckedStream> {
  const framed = readRequests(bytes);
  const { requests, end, head } = framed;
  const last = requests.at(-1);
  const closes = end === 'malformed' || (end === 'complete' && last !== undefined && !isPersistent(last));
  const exchange = await connection.exchange({
    pieces: cutBytes(bytes, cuts),
    methods: [...requests, ...(head === undefined ? [] : [head])].map(({ method }) => method),
    replies: closes ? Number.POSITIVE_INFINITY : requests.length,
    afterwards: closes ? 'await-end' : end === 'incomplete' ? 'end' : 'continue',
  });
  const statuses = exchange.replies.map(({ status }) => status);
  const endsEarly = requests.some((request) => !isPersistent(request) || !/^1\.[01]$/.test(request.version));
  if (exchange.problem?.includes('ECONNRESET') && endsEarly) {
    // What is sent behind the last request of a connection may reset it before the reply is read (RFC 9112, section 9.6).
    permitRest(requests, settings, ledger);
    return { requests: requests.length, statuses, problems: [] };
  }
  return {
    requests: Math.max(1, requests.length + (end === 'complete' ? 0 : 1)),
    statuses,
    problems: [
      ...(exchange.problem === undefined ? [] : [exchange.problem]),
      ...checkReplies(framed, exchange, settings, ledger),
    ],
  };
}

function checkReplies(
  framed: FramedStream,
  exchange: Exchange,
  settings: ServiceSettings,
  ledger: Ledger,
): string[] {
  const problems: string[] = [];
  for (const [index, request] of framed.requests.entries()) {
    const reply = exchange.replies[index];
    if (reply === undefined) return [...problems, `there is no reply to request ${index + 1}`];
    const outcome = expectOutcome(request, settings);
    problems.push(
      ...checkReply(reply, request, outcome, ledger).map((text) => `reply ${index + 1}: ${text}`),
    );
    if (reply.headers.get('connection') === 'close' && isPersistent(request)) {
      const isHead = request.method === 'HEAD';
      const documented = isHead ? reply.status === 400 : readError(reply) === errors.bad_request.error;
      permitRest(framed.requests.slice(index + 1), settings, ledger);
      return documented ? problems : [...problems, `reply ${index + 1} ends the connection`];
    }
  }
  return [...problems, ...checkEnd(framed, exchange, settings)];
}

/** What follows a request that ends its connection may be stored all the same. */
function permitRest(rest: readonly FramedRequest[], settings: ServiceSettings, ledger: Ledger): void {
  for (const request of rest) {
    const { plant } = expectOutcome(request, settings);
    if (plant !== undefined) ledger.permit(plant.id, plant);
  }
}

function checkReply(reply: Reply, request: FramedRequest, outcome: Outcome, ledger: Ledger): string[] {
  const { document = false, plant } = outcome;
  if (document && reply.status < 400) return [];
  const bodiless = request.method === 'HEAD';
  const problems = [...findUndocumented(reply, bodiless, outcome.read), ...checkRequestId(reply, request)];
  if (problems.length > 0) return problems;
  // What it shows is documented, and more is not known of a store that others fill.
  if (outcome.read !== undefined && reply.status === 200) return [];
  if (bodiless) {
    const statuses = outcome.errors.map((error) => Math.floor(error / 100));
    return statuses.includes(reply.status)
      ? []
      : [`status ${reply.status}, expected ${statuses.join(' or ')}`];
  }
  const text = reply.body.toString();
  if (reply.status === 200) {
    if (plant === undefined) return [`accepted, expected ${outcome.errors.join(' or ')}`];
    const { id, ...stored } = plant;
    const expected = { name: stored.name, ...(stored.tag !== null && { tag: stored.tag }) };
    const replayed = reply.headers.get('idempotent-replayed') === 'true';
    return [
      ...(text === JSON.stringify(expected)
        ? []
        : [`the body is ${text}, expected ${JSON.stringify(expected)}`]),
      ...ledger.acknowledge(id, stored, replayed),
    ];
  }
  const error = readError(reply);
  if (Math.floor(error / 100) !== reply.status) return [`status ${reply.status} with error ${error}`];
  if (error === errors.id_taken.error && plant !== undefined) {
    ledger.reject(plant.id, plant);
    return [];
  }
  if (outcome.errors.includes(error)) return [];
  const accepted = plant === undefined ? [] : ['200'];
  return [`error ${text}, expected ${[...outcome.errors, ...accepted].join(' or ')}`];
}

/** What may come after the replies to complete requests. */
function checkEnd(
  { requests, end, head }: FramedStream,
  { replies, closed }: Exchange,
  settings: ServiceSettings,
): string[] {
  const extra = replies.slice(requests.length);
  if (end === 'complete') return extra.length === 0 ? [] : [`${extra.length} replies too many`];
  const ofHead = head && expectOfHead(head, settings);
  const early = ofHead === undefined ? [] : [...ofHead.errors, errors.body_too_large.error];
  const allowed = [...early, errors.bad_request.error];
  // A read is answered before its body has arrived, which does not count.
  const isRead = (reply: Reply) => ofHead?.read !== undefined && reply.status === 200;
  const problems = extra.flatMap((reply) =>
    findUndocumented(reply, head?.method === 'HEAD', isRead(reply) ? ofHead?.read : undefined),
  );
  const wrong = extra.filter(
    (reply) => head?.method !== 'HEAD' && !isRead(reply) && !allowed.includes(readError(reply)),
  );
  return [
    ...problems,
    ...wrong.map((reply) => `the reply to what is ${end}: ${reply.body.toString()}`),
    ...(extra.length > 2 ? [`${extra.length} replies to what is ${end}`] : []),
    ...(end === 'malformed' && extra.length === 0 ? ['there is no reply to what is malformed'] : []),
    ...(closed ? [] : [`the connection stays open after what is ${end}`]),
  ];
}

function checkRequestId(reply: Reply, { headers }: FramedRequest): string[] {
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

/** The number of an error, or 0 if the body is none. */
function readError({ body }: Reply): number {
  const [, number = '0'] = /^\{"error":(\d+),/.exec(body.toString('latin1')) ?? [];
  return Number(number);
}

function cutBytes(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [
    ...cuts.map((cut) => Math.floor(cut * bytes.length)).toSorted((a, b) => a - b),
    bytes.length,
  ];
  const pieces = places.map((place, index) => bytes.subarray(places[index - 1] ?? 0, place));
  return pieces.filter((piece) => piece.length > 0);
}
