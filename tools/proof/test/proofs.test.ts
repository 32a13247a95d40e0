import fc from 'fast-check';
import { expect, it } from 'vitest';
import { allProofs } from '../src/all-proofs.js';
import { toJson } from '../src/load/records.js';
import { sequences } from '../src/model/commands.js';
import { type ProofResult, runProofs } from '../src/proof.js';

async function prove(name: string, seed = 20_261_125): Promise<readonly ProofResult[]> {
  const context = { seed, amount: 'short', settings: {}, log: () => undefined } as const;
  const [{ results } = { results: [] }] = await runProofs({ [name]: allProofs[name] ?? [] }, context);
  expect(results.flatMap(({ failures }) => failures)).toEqual([]);
  const run = results.filter(({ notRun }) => notRun === undefined);
  expect(run.length).toBeGreaterThan(0);
  return run;
}

const nothing = { lost: 0, 'lost deletes': 0, phantom: 0, double: 0 };

// Not `failover` and `network`, which need programs of the system.
it.each(['crash', 'disk', 'follow'])('the service keeps what it promises: %s', async (name) => {
  const all = (await prove(name)).map(({ figures }) => figures);
  for (const figures of all) {
    expect(figures).toMatchObject({ ...nothing, trials: expect.any(Number) });
    expect(Number(figures['acknowledged'])).toBeGreaterThan(20);
  }
  for (const change of ['deleted', 'updated', 'ids reused'])
    expect(all.reduce((sum, figures) => sum + Number(figures[change]), 0)).toBeGreaterThan(2);
});

it('concurrent requests for one ID are serializable', async () => {
  for (const { figures } of await prove('races')) {
    expect(figures).toMatchObject({ ...nothing, sequences: 200, acknowledged: 200 });
    // An id whose record was deleted has none, where it cannot be reused.
    expect(Number(figures['late retries replayed'])).toBeGreaterThan(100);
    expect(Number(figures['reordered'])).toBeGreaterThan(10);
  }
});

it('random sequences of commands lead to the same on both engines and on the fake', async () => {
  // One whose first sequence is short, deletes records, and restarts the services, during a request, too, and starts no command for a
  // token, which takes a second for each store: it depends on the fields of the resources.
  const seed = Array.from({ length: 1_000 }, (_, index) => index).find((candidate) => {
    const [commands = []] = fc.sample(sequences, { seed: candidate, numRuns: 1 });
    const kinds = new Set(commands.map((command) => command.action));
    const isCheap =
      commands.length < 20 && !kinds.has('issue') && !kinds.has('revoke') && !kinds.has('expire');
    const isDeleted = /"POST".*⟦(\d)⟧.*"DELETE","path":"\/\w+\/⟦\1⟧/.test(toJson(commands));
    return isCheap && isDeleted && kinds.has('restart') && kinds.has('interrupt');
  });
  const figures = (await prove('model', seed))[0]?.figures ?? {};
  expect(figures['sequences']).toBe(4);
  for (const figure of ['requests', 'restarts', 'interrupted requests', 'of those deleted'])
    expect(Number(figures[figure])).toBeGreaterThan(0);
});
