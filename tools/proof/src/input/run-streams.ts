import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { checkStream } from './check/check-stream.js';
import type { Ledger } from './check/ledger.js';
import { type Connection, openConnection } from './exchange/connection.js';
import type { RequestIds } from './generate/json-text.js';
import { renderStream, type Stream, stream } from './generate/stream.js';
import type { ServiceSettings } from './oracle/expect-outcome.js';

/** The service that streams are sent to. */
export interface Target extends ServiceSettings {
  readonly port: number;
}

/** What many streams led to. */
export interface StreamsRun {
  readonly requests: number;
  readonly streams: number;
  /** How many replies there were of each status. */
  readonly statuses: ReadonlyMap<number, number>;
  readonly failures: readonly string[];
}

/** Few enough that no request is rejected as one too many. */
const connections = 16;
const streamsAtOnce = 500;
/** One wrong rule breaks many streams alike. */
const maxFailures = 20;
const shrinkMs = 20_000;

/** Sends generated streams over several connections until there were as many requests, or too many failures. */
export async function runStreams(
  target: Target,
  { seed, requests: wanted }: { readonly seed: number; readonly requests: number },
  ledger: Ledger,
): Promise<StreamsRun> {
  const statuses = new Map<number, number>();
  const failures: string[] = [];
  const nextIds = createIds();
  let requests = 0;
  let streams = 0;
  for (let part = 0; requests < wanted && failures.length < maxFailures; part++) {
    const partSeed = seed + part;
    const samples = fc.sample(stream, { seed: partSeed, numRuns: streamsAtOnce });
    const queue = samples.entries();
    const failed: number[] = [];
    const work = async () => {
      let connection: Connection | undefined;
      for (const [index, sample] of queue) {
        if (requests >= wanted || failed.length >= maxFailures) break;
        if (connection?.open !== true) connection = await openConnection(target.port);
        const bytes = renderStream(sample, target.token, nextIds);
        const checked = await checkStream(bytes, sample.cuts, connection, target, ledger);
        requests += checked.requests;
        streams++;
        for (const status of checked.statuses) statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (checked.problems.length > 0) {
          failed.push(index);
          failures.push(describe(`seed ${partSeed}, path ${index}`, checked.problems, bytes, target));
          connection.destroy();
          connection = undefined;
        }
        // Lets the other connections read.
        await nextTurn();
      }
      connection?.destroy();
    };
    await Promise.all(Array.from({ length: connections }, work));
    const [first] = failed;
    if (first !== undefined)
      failures.unshift(await shrink(target, { seed: partSeed, path: String(first) }, nextIds, ledger));
  }
  return { requests, streams, statuses, failures };
}

/** How many ids of its own a request may have, and how many requests come before there is a new shared id. */
const ownIds = 8;
const requestsPerSharedId = 64;

/** Ids over the whole range of int64, those of each request different from all others. */
function createIds(): () => RequestIds {
  const idAt = (index: number) => BigInt.asUintN(62, BigInt(index) * 0x9e37_79b9_7f4a_7c15n);
  let requests = 0;
  return () => {
    const request = ++requests;
    const age = Math.floor(request / requestsPerSharedId);
    return (place) =>
      place < 0 ? idAt((age + place) * requestsPerSharedId * ownIds - 1) : idAt(request * ownIds + place);
  };
}

/** Sends simpler and simpler forms of a stream that failed, and describes the simplest that fails. */
async function shrink(
  target: Target,
  place: { readonly seed: number; readonly path: string },
  nextIds: () => RequestIds,
  ledger: Ledger,
): Promise<string> {
  let simplest = 'It does not fail alone.';
  const property = fc.asyncProperty(stream, async (sample: Stream) => {
    const connection = await openConnection(target.port);
    const bytes = renderStream(sample, target.token, nextIds);
    const { problems } = await checkStream(bytes, sample.cuts, connection, target, ledger);
    connection.destroy();
    if (problems.length > 0) simplest = describe('simplest', problems, bytes, target);
    return problems.length === 0;
  });
  await fc.check(property, { ...place, numRuns: 1, interruptAfterTimeLimit: shrinkMs });
  return simplest;
}

function describe(place: string, problems: readonly string[], bytes: Buffer, { token }: Target): string {
  const text = JSON.stringify(bytes.toString('latin1').replaceAll(token, 'TOKEN'));
  return `${place}: ${problems.slice(0, 3).join('; ')}\n  in latin1: ${text.slice(0, 2000)}`;
}
