import { expect, it, vi } from 'vitest';
import { planRun, type Run, runPlan } from './chaos-run.js';
import { faultNames, startChaosServer } from './chaos-server.js';
import { checkRun, nameResult } from './check-run.js';

/**
 * Calls of the client over loopback, to a service that injects every kind of fault. The seed of a call decides what
 * happens to it: `CHAOS_SEED=123` makes the call of that seed alone, `CHAOS_RUNS=20000` makes more calls.
 */
const onlySeed = process.env['CHAOS_SEED'];
const runCount = Number(process.env['CHAOS_RUNS'] ?? 600);
const seeds = onlySeed ? [Number(onlySeed)] : Array.from({ length: runCount }, (_, index) => index + 1);
const runsAtATime = 50;

/** All results that a call may have; each must occur. */
const results = [
  ...['200', '200 replayed', '400', '401', '429', '500', '503', 'UnexpectedResponseError unknown'],
  ...['NetworkError not_sent', 'NetworkError unknown', 'TimeoutError not_sent, the call took too long'],
  ...['the call', 'the last attempt'].map((what) => `TimeoutError unknown, ${what} took too long`),
  ...['aborted before any attempt', 'aborted during a delay', 'aborted during an attempt'],
];

it('keeps the rules with faults of every kind, and leaves nothing behind', { timeout: 120_000 }, async () => {
  const before = countResources();
  const server = await startChaosServer();
  const runs: Run[] = [];
  const waiting = seeds.map(planRun);
  await Promise.all(
    Array.from({ length: runsAtATime }, async () => {
      for (let plan = waiting.shift(); plan; plan = waiting.shift()) runs.push(await runPlan(plan, server));
    }),
  );
  await server.close();

  const broken = runs.flatMap((run) =>
    checkRun(run, server.recordOf(run.id)).map(
      (sentence) => `${sentence} (${nameResult(run)}; run it again with CHAOS_SEED=${run.plan.seed})`,
    ),
  );
  expect(broken).toEqual([]);
  expect(runs).toHaveLength(seeds.length);
  // The call of one seed injects one fault.
  if (onlySeed === undefined) {
    const injected = new Set(runs.flatMap(({ attempts }) => attempts.map(({ fault }) => fault)));
    expect(faultNames.filter((name) => !injected.has(name))).toEqual([]);
    expect([...new Set(runs.map(nameResult))].toSorted()).toEqual(results.toSorted());
  }
  // The client's ends of the connections close after the server's. A few belong to the test runner.
  const most = Object.fromEntries(Object.entries(before).map(([name, count]) => [name, count + 4]));
  const tooMany = () => Object.entries(countResources()).filter(([name, count]) => count > (most[name] ?? 4));
  await vi.waitFor(() => expect(tooMany()).toEqual([]), { timeout: 10_000 });
});

/** How many timers and connections keep this process running. */
function countResources(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of process.getActiveResourcesInfo())
    if (/^(Timeout|TCP)/.test(name)) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
