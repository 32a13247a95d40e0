import { errors } from '@plant-store/contract/errors';
import type { Connection, Exchange } from '../exchange/connection.js';
import type { Reply } from '../exchange/read-replies.js';
import {
  expectOfHead,
  expectOutcome,
  hasBody,
  type Outcome,
  type ServiceSettings,
} from '../oracle/expect-outcome.js';
import { type FramedStream, isPersistent, readRequests } from '../oracle/read-requests.js';
import { checkReply } from './check-reply.js';
import { findUndocumented } from './documented-reply.js';
import type { Ledger, Observer } from './ledger.js';

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
  const outcomes = requests.map((request) => expectOutcome(request, settings));
  const ofHead = head && expectOfHead(head, settings);
  // What no reply shows may have come about: of requests behind one that ends its connection, too.
  const observer = ledger.send(ofHead === undefined ? outcomes : [...outcomes, ofHead]);
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
    return { requests: requests.length, statuses, problems: [] };
  }
  return {
    requests: Math.max(1, requests.length + (end === 'complete' ? 0 : 1)),
    statuses,
    problems: [
      ...(exchange.problem === undefined ? [] : [exchange.problem]),
      ...checkReplies(framed, exchange, { outcomes, ofHead }, observer),
    ],
  };
}

/** What the requests of a stream must lead to, and what the head of one that is not complete. */
interface Expected {
  readonly outcomes: readonly Outcome[];
  readonly ofHead: Outcome | undefined;
}

function checkReplies(
  framed: FramedStream,
  exchange: Exchange,
  expected: Expected,
  observer: Observer,
): string[] {
  const problems: string[] = [];
  for (const [index, request] of framed.requests.entries()) {
    const reply = exchange.replies[index];
    const outcome = expected.outcomes[index];
    if (reply === undefined || outcome === undefined)
      return [...problems, `there is no reply to request ${index + 1}`];
    problems.push(
      ...checkReply(reply, request, outcome, observer).map((text) => `reply ${index + 1}: ${text}`),
    );
    if (reply.headers.get('connection') === 'close' && isPersistent(request)) {
      const isHead = request.method === 'HEAD';
      const documented = isHead ? reply.status === 400 : readError(reply) === errors.bad_request.error;
      return documented ? problems : [...problems, `reply ${index + 1} ends the connection`];
    }
  }
  return [...problems, ...checkEnd(framed, exchange, expected, observer)];
}

/** What may come after the replies to complete requests. */
function checkEnd(
  { requests, end, head }: FramedStream,
  { replies, closed }: Exchange,
  { ofHead }: Expected,
  observer: Observer,
): string[] {
  const extra = replies.slice(requests.length);
  if (end === 'complete') return extra.length === 0 ? [] : [`${extra.length} replies too many`];
  const early = ofHead === undefined ? [] : [...ofHead.errors, errors.body_too_large.error];
  const allowed = [...early, errors.bad_request.error];
  const problems = extra.flatMap((reply) => {
    // What reads no body is answered before its body has arrived, which does not count.
    if (head && ofHead && reply.status < 300 && !hasBody(ofHead.operation))
      return checkReply(reply, head, ofHead, observer);
    const isAllowed = head?.method === 'HEAD' || allowed.includes(readError(reply));
    return [
      ...findUndocumented(reply, head?.method === 'HEAD'),
      ...(isAllowed ? [] : [`the reply to what is ${end}: ${reply.body.toString()}`]),
    ];
  });
  return [
    ...problems,
    ...(extra.length > 2 ? [`${extra.length} replies to what is ${end}`] : []),
    ...(end === 'malformed' && extra.length === 0 ? ['there is no reply to what is malformed'] : []),
    ...(closed ? [] : [`the connection stays open after what is ${end}`]),
  ];
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
