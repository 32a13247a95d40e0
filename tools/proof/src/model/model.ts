import fc from 'fast-check';
import type { StoredPlant } from '../databases/database.js';
import { type DatabaseFolder, withDatabases } from '../databases/with-databases.js';
import type { Proof, ProofContext, ProofResult } from '../proof.js';
import { runCommand } from '../service/run-command.js';
import { sequences } from './commands.js';
import type { PlantModel, Stores } from './plant-model.js';
import { createFakeTarget } from './targets/fake-target.js';
import { startServiceTarget } from './targets/service-target.js';
import type { Target } from './targets/target.js';

/** How many sequences of up to 40 commands. */
const runs = { short: 4, full: 150 } as const;

const promise = 'Both engines, workers and the fake do the same, which is what the API promises';

/**
 * Runs random sequences of creates, replays, conflicts, races, restarts and changes of tokens on several plant stores at
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
  const expected = new Map<bigint, StoredPlant>();
  const counts: Stores['counts'] = { requests: 0, restarts: 0, revocations: 0, slowestRevocationMs: 0 };
  let run = 0;
  const property = fc.asyncProperty(sequences, (commands) => {
    run++;
    if (run % 25 === 0) log(`${run} sequences`);
    const model: PlantModel = { plants: new Map(), tokens: new Map() };
    return fc.asyncModelRun(() => ({ model, real: { targets, run, expected, counts } }), commands);
  });
  const details = await fc.check(property, { seed, numRuns: trials?.['model'] ?? runs[amount] });
  const differences = (await Promise.all(targets.map((target) => compare(target, expected)))).flat();
  return {
    promise,
    figures: {
      'plant stores': targets.map(({ name }) => name).join(', '),
      sequences: run,
      requests: counts.requests,
      restarts: counts.restarts,
      revocations: counts.revocations,
      'slowest revocation ms': Math.round(counts.slowestRevocationMs),
      'plants compared': expected.size * targets.length,
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

async function compare(target: Target, expected: ReadonlyMap<bigint, StoredPlant>): Promise<string[]> {
  const stored = await target.readPlants();
  const wrong = [...expected].filter(
    ([id, { name, tag }]) => stored.get(id)?.name !== name || stored.get(id)?.tag !== tag,
  );
  return [
    ...wrong.map(
      ([id]) =>
        `${target.name}: ${id} is ${JSON.stringify(stored.get(id))}, expected ${JSON.stringify(expected.get(id))}`,
    ),
    ...(stored.size === expected.size
      ? []
      : [`${target.name}: ${stored.size} plants, expected ${expected.size}`]),
  ];
}
