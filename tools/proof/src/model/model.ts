import fc from 'fast-check';
import { type DatabaseFolder, withDatabases } from '../databases/with-databases.js';
import type { Proof, ProofContext, ProofResult } from '../proof.js';
import { runCommand } from '../service/run-command.js';
import { sequences } from './commands.js';
import { idsOfRun, type PlantModel, type Stores, toId } from './plant-model.js';
import { createFakeTarget } from './targets/fake-target.js';
import { startServiceTarget } from './targets/service-target.js';
import type { Target } from './targets/target.js';

/** How many sequences of up to 40 commands. */
const runs = { short: 4, full: 150 } as const;

const promise = 'Both engines, workers and the fake do the same, which is what the API promises';

/**
 * Runs random sequences of creates, batches, deletes, reads, races, restarts and changes of tokens on several plant stores at
 * once, and compares each reply with a model and with the replies of the others, and the plants at the end.
 */
export const proveModel: Proof = (context) =>
  withDatabases('sqlite', (files) =>
    withDatabases('postgresql', async (postgresql) => {
      const hasWorkers = await knowsWorkers();
      const targets = await startTargets(context, files, postgresql, hasWorkers);
      try {
        const result = await runSequences(context, targets);
        const workers = { promise: `${promise}: WORKERS=2`, figures: {}, failures: [] };
        return hasWorkers ? [result] : [result, { ...workers, notRun: 'the service has no setting WORKERS' }];
      } finally {
        for (const target of targets) await target.stop();
      }
    }),
  );

/** Whether the service has workers: only then an invalid value is an error. */
async function knowsWorkers(): Promise<boolean> {
  const { exitCode, stdout, stderr } = await runCommand(['check'], {
    WORKERS: 'none',
    DATABASE_URL: 'file:/none',
  });
  return exitCode !== 0 && /WORKERS/.test(`${stdout}${stderr}`);
}

function startTargets(
  { settings }: ProofContext,
  files: DatabaseFolder,
  postgresql: DatabaseFolder,
  hasWorkers: boolean,
): Promise<Target[]> {
  return Promise.all([
    startServiceTarget('sqlite', files, settings),
    startServiceTarget('postgresql', postgresql, settings),
    ...(hasWorkers ? [startServiceTarget('workers', files, { ...settings, WORKERS: '2' })] : []),
    createFakeTarget(),
  ]);
}

async function runSequences(
  { seed, amount, trials, log }: ProofContext,
  targets: readonly Target[],
): Promise<ProofResult> {
  const known: Omit<PlantModel, 'run' | 'tokens'> = {
    plants: new Map(),
    retired: new Set(),
    unknown: new Set(),
  };
  const counts: Stores['counts'] = {
    ...{ requests: 0, restarts: 0, interrupted: 0, withoutReply: 0 },
    ...{ revocations: 0, slowestRevocationMs: 0 },
  };
  let run = 0;
  const property = fc.asyncProperty(sequences, async (commands) => {
    run++;
    if (run % 25 === 0) log(`${run} sequences`);
    const model: PlantModel = { ...known, run, tokens: new Map() };
    try {
      await fc.asyncModelRun(() => ({ model, real: { targets, counts } }), commands);
    } catch (error) {
      forget(model);
      throw error;
    }
  });
  const details = await fc.check(property, { seed, numRuns: trials?.['model'] ?? runs[amount] });
  const differences = (await Promise.all(targets.map((target) => compare(target, known)))).flat();
  return {
    promise,
    figures: {
      'plant stores': targets.map(({ name }) => name).join(', '),
      sequences: run,
      requests: counts.requests,
      restarts: counts.restarts,
      revocations: counts.revocations,
      'slowest revocation ms': Math.round(counts.slowestRevocationMs),
      'interrupted requests': counts.interrupted,
      'of those without a reply': counts.withoutReply,
      'plants compared': (known.plants.size + known.retired.size) * targets.length,
      'of those deleted': known.retired.size * targets.length,
    },
    failures: [...(details.failed ? [describe(details)] : []), ...differences],
  };
}

/** The shortest sequence that fails, with why, and with the seed and path of fast-check. */
function describe<T>(details: fc.RunDetails<T>): string {
  const { errorInstance } = details;
  const reason = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
  return `${reason}\n${fc.defaultReportMessage(details)}`;
}

/** Forgets the ids of a run, so that the shorter ones that follow fail for their own reasons alone. */
function forget({ run, plants, retired, unknown }: PlantModel): void {
  for (let number = 0; number < idsOfRun; number++) {
    const id = toId(number, run);
    plants.delete(id);
    retired.delete(id);
    unknown.add(id);
  }
}

async function compare(
  target: Target,
  { plants, retired, unknown }: Pick<PlantModel, 'plants' | 'retired' | 'unknown'>,
): Promise<string[]> {
  const stored = await target.readPlants();
  const deleted = (await target.readRetired?.()) ?? retired;
  const ids = new Set([...plants.keys(), ...retired, ...stored.keys(), ...deleted]);
  return [...ids].flatMap((id) => {
    const actual = JSON.stringify([stored.get(id), deleted.has(id)]);
    const expected = JSON.stringify([plants.get(id), retired.has(id)]);
    return actual === expected || unknown.has(id)
      ? []
      : [`${target.name}: ${id} is ${actual}, expected ${expected}`];
  });
}
