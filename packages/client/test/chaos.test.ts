import { beforeAll, describe, expect, it, vi } from 'vitest';
import { type ChaosServer, startChaosServer } from './chaos-server.js';
import { checkRun, nameResult } from './check-run.js';
import { faultNames } from './faults.js';
import { planRun } from './plan-run.js';
import { type Run, runPlan } from './run-plan.js';
import { RunningClock } from './running-clock.js';

/**
 * Calls of the client over loopback, to a service that injects every kind of fault. The seed of a call decides what
 * happens to it: `CHAOS_SEED=123` makes the call of that seed alone, `CHAOS_RUNS=20000` makes more calls.
 */
const onlySeed = process.env['CHAOS_SEED'];
const runCount = Number(process.env['CHAOS_RUNS'] ?? 2_000);
const seeds =
  onlySeed === undefined ? Array.from({ length: runCount }, (_, index) => index + 1) : [Number(onlySeed)];
const runsAtATime = 50;

/** All results that a call may have; each must occur. */
const results = [
  '200',
  '200 replayed',
  '400',
  '401',
  '429',
  '500',
  '503',
  'NetworkError not_sent',
  'NetworkError unknown',
  'TimeoutError not_sent, the call took too long',
  'TimeoutError unknown, the call took too long',
  'TimeoutError unknown, the last attempt took too long',
  'UnexpectedResponseError unknown',
  'aborted before any attempt',
  'aborted during a delay',
  'aborted during an attempt',
];

let server: ChaosServer;
const runs: Run[] = [];
let resourcesBefore: Record<string, number>;
let resourcesAfter: Record<string, number>;

beforeAll(async () => {
  resourcesBefore = countResources();
  server = await startChaosServer();
  const clock = new RunningClock();
  const waiting = seeds.map(planRun);
  await Promise.all(
    Array.from({ length: runsAtATime }, async () => {
      for (let plan = waiting.shift(); plan; plan = waiting.shift())
        runs.push(await runPlan(plan, server, clock));
    }),
  );
  clock.stop();
  await server.close();
  // The client's ends of the connections close after the server's.
  await vi.waitFor(() => expect(countResources()['TCPSocketWrap'] ?? 0).toBeLessThan(5), {
    timeout: 10_000,
  });
  resourcesAfter = countResources();
}, 120_000);

describe('with faults of every kind', () => {
  it('each call keeps the rules', () => {
    const broken = runs.flatMap((run) =>
      checkRun(run, server.recordOf(run.id)).map(
        (sentence) => `${sentence} (${nameResult(run)}; run it again with CHAOS_SEED=${run.plan.seed})`,
      ),
    );
    expect(broken).toEqual([]);
    expect(runs).toHaveLength(seeds.length);
  });

  // The call of one seed injects one fault.
  it.skipIf(onlySeed)('each fault was injected, and each result occurred', () => {
    const injected = new Set(runs.flatMap(({ attempts }) => attempts.map(({ fault }) => fault)));
    expect(faultNames.filter((name) => !injected.has(name))).toEqual([]);
    expect([...new Set(runs.map(nameResult))].toSorted()).toEqual(results.toSorted());
  });

  it('no timer and no connection is left', () => {
    for (const name of ['Timeout', 'TCPSocketWrap', 'TCPServerWrap']) {
      // A few belong to the test runner.
      expect(resourcesAfter[name] ?? 0, name).toBeLessThan((resourcesBefore[name] ?? 0) + 5);
    }
  });
});

/** How many resources of each kind keep this process running. */
function countResources(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of process.getActiveResourcesInfo()) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
