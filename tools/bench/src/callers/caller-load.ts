import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { runProgram } from '../processes/run-program.js';

const programOf = (name: string) => fileURLToPath(new URL(`../../dist/callers/${name}.js`, import.meta.url));

/** How much longer than its load a program may take: each request in flight has 20 seconds. */
const graceMs = 60_000;

/** What callers do that only use the service: each on two connections, single creates on one and lists on the other. */
export const CallsSchema = z.object({
  baseUrl: z.string(),
  /** The tokens of those that create, on a connection each. */
  creators: z.array(z.string()),
  /** The tokens of those that list, on a connection each. */
  readers: z.array(z.string()),
  /** Creates per second of all together at a fixed rate; without it each is sent after the reply to the one before. */
  createsPerSecond: z.number().positive().optional(),
  /** How long a connection waits between a reply and its next request. */
  thinkMs: z.number().nonnegative(),
  /** The paths of the lists, one after the other. */
  lists: z.array(z.string()),
  warmupSeconds: z.number().nonnegative(),
  seconds: z.number().positive(),
});

export type Calls = z.output<typeof CallsSchema>;

/** Requests of one kind that were sent during a measurement. */
const CallStatsSchema = z.object({
  /** Replies with 200 per second. */
  perSecond: z.number(),
  /** Latencies of these replies, in milliseconds; 20 seconds where there was none until then. */
  p50Ms: z.number(),
  p99Ms: z.number(),
  maxMs: z.number(),
  /** Other replies, and requests without a reply within 20 seconds. */
  failed: z.int(),
  /** How often each of them occurred: a status, or a code such as `ECONNRESET`. */
  failures: z.record(z.string(), z.int()),
});

export type CallStats = z.output<typeof CallStatsSchema>;

export const CallsResultSchema = z.object({ creates: CallStatsSchema, lists: CallStatsSchema });

export type CallsResult = z.output<typeof CallsResultSchema>;

/** The settings of one run of an attack. */
export const AttackRunSchema = z.object({
  name: z.string(),
  baseUrl: z.string(),
  token: z.string(),
  /** How many plants are stored, for attacks that use their ids. */
  plants: z.int().positive(),
  seconds: z.number().positive(),
});

export type AttackRun = z.output<typeof AttackRunSchema>;

export const AttackResultSchema = z.object({
  /** How often each status came, and how often a connection ended: `closed`, or a code such as `ECONNRESET`. */
  outcomes: z.record(z.string(), z.int()),
  /** How many cores the attack itself took, which the service lacks on the same machine. */
  cores: z.number(),
});

export type AttackResult = z.output<typeof AttackResultSchema>;

/** Calls the service from a process of its own. */
export async function callService(calls: Calls): Promise<CallsResult> {
  return CallsResultSchema.parse(await runLoad('call-service', calls, calls.warmupSeconds + calls.seconds));
}

/** Attacks the service from a process of its own. */
export async function attackService(run: AttackRun): Promise<AttackResult> {
  return AttackResultSchema.parse(await runLoad('run-attack', run, run.seconds));
}

async function runLoad(name: string, load: object, seconds: number): Promise<unknown> {
  const timeoutMs = seconds * 1000 + graceMs;
  return JSON.parse(
    await runProgram(process.execPath, [programOf(name), JSON.stringify(load)], { timeoutMs }),
  );
}
