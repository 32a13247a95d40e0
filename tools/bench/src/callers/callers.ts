import {
  countOf,
  formatCount,
  formatMemory,
  formatMs,
  formatRatio,
  formatTable,
  median,
  medians,
  writeJson,
} from '@plant-store/report';
import type { DatabaseEngine } from '../databases/database.js';
import type { Environment } from '../environment/environment.js';
import { describeMachine, machineLine } from '../environment/machine.js';
import { attacks } from './attacks.js';
import {
  type AttackResult,
  attackService,
  type CallStats,
  type CallsResult,
  callService,
} from './caller-load.js';
import {
  type ServiceHealth,
  type ServiceSettings,
  startFilledService,
  watchService,
  withEngine,
} from './filled-service.js';

const callers = 4;
const thinkMs = 20;
const warmupSeconds = 2;

const lists = [
  '/plants?limit=100',
  '/plants?limit=100&order=newest',
  '/plants?limit=100&tag=houseplant',
  '/plants?limit=100&q=deliciosa%201',
];

/** What is measured, and how often and how long: each time without and with each attack. */
export interface CallersSettings extends ServiceSettings {
  readonly attacks: readonly string[];
  readonly rounds: number;
  readonly seconds: number;
  /** The file that gets all results as JSON. */
  readonly json?: string | undefined;
}

/** What the callers got, and how the service fared. */
type Phase = CallsResult & ServiceHealth;

/** One round of one attack. */
export interface CallersRun {
  readonly attack: string;
  readonly without: Phase;
  readonly with: Phase & AttackResult;
}

/** Measures what one holder of a token takes from the others by each attack, and prints tables. */
export async function measureCallers(
  settings: CallersSettings,
  environment: Environment,
): Promise<readonly CallersRun[]> {
  const machine = await describeMachine(environment.folder);
  const { json, ...shown } = settings;
  return await withEngine(settings.database, environment, async (engine) => {
    const runs: CallersRun[] = [];
    for (let round = 1; round <= settings.rounds; round++) {
      for (const attack of settings.attacks) {
        const run = await runOnce(attack, settings, engine, environment);
        runs.push(run);
        environment.log(
          `round ${round}/${settings.rounds}, ${attack}: creates ${changeOf(run, 'creates')}, lists ${changeOf(run, 'lists')}`,
        );
        // After each, so that a run that is interrupted has results.
        if (json !== undefined) writeJson(json, { machine, settings: shown, database: engine.title, runs });
      }
    }
    environment.print(`${callersTables(settings, engine, runs)}\n${machineLine(machine)}\n`);
    return runs;
  });
}

/** Measures one attack on a service of its own, since an attack may leave plants or memory behind, or end it. */
async function runOnce(
  name: string,
  settings: CallersSettings,
  engine: DatabaseEngine,
  environment: Environment,
): Promise<CallersRun> {
  const attack = attacks[name];
  if (attack === undefined) throw new Error(`There is no attack ${name}`);
  const { seconds, plants } = settings;
  const service = await startFilledService(settings, engine, environment, attack.stored?.());
  const { baseUrl } = service;
  const tokens: string[] = [];
  for (let caller = 0; caller < callers; caller++) {
    tokens.push(await service.createToken('create', 'read', 'delete'));
  }
  const token = await service.createToken(attack.scope);
  const calls = { baseUrl, creators: tokens, readers: tokens, thinkMs, lists, warmupSeconds, seconds };
  const quiet = await watchService(service, callService(calls));
  const attacked = await watchService(
    service,
    Promise.all([
      callService(calls),
      attackService({ name, baseUrl, token, plants, seconds: warmupSeconds + seconds }),
    ]),
  );
  await service.remove();
  const [called, outcome] = attacked.result;
  return {
    attack: name,
    without: { ...quiet.result, ...quiet.health },
    with: { ...called, ...attacked.health, ...outcome },
  };
}

function changeOf({ without, with: beside }: CallersRun, kind: 'creates' | 'lists'): string {
  return `${rateOf(without[kind])} -> ${rateOf(beside[kind])}/s`;
}

function callersTables(
  { attacks, rounds, seconds, plants, workers }: CallersSettings,
  { title }: DatabaseEngine,
  runs: readonly CallersRun[],
): string {
  const of = (attack: string) => runs.filter((run) => run.attack === attack);
  const callRows = attacks.flatMap((attack) =>
    (['creates', 'lists'] as const).map((kind) => {
      const without = summarize(of(attack).map((run) => run.without[kind]));
      const beside = summarize(of(attack).map((run) => run.with[kind]));
      return [
        ...[
          attack,
          kind,
          rateOf(without),
          rateOf(beside),
          formatRatio(without.perSecond === 0 ? null : beside.perSecond / without.perSecond),
        ],
        ...[without, beside].flatMap(({ p50Ms, p99Ms }) => [latencyOf(p50Ms), latencyOf(p99Ms)]),
        ...[without.failed, beside.failed],
      ];
    }),
  );
  const serviceRows = attacks.map((attack) => {
    const without = of(attack).map((run) => run.without);
    const beside = of(attack).map((run) => run.with);
    return [
      attack,
      ...[without, beside].map((phases) =>
        formatMemory(Math.max(...phases.map(({ maxMemoryBytes }) => maxMemoryBytes))),
      ),
      `${sum(beside.map(({ notReady }) => notReady))} of ${sum(beside.map((phase) => phase.readinessChecks))}`,
      formatMs(Math.max(...beside.map(({ slowestReadyMs }) => slowestReadyMs))),
      beside.every(({ survived }) => survived) ? 'yes' : 'NO',
      median(beside.map(({ cores }) => cores)).toFixed(1),
      formatOutcomes(beside.map(({ outcomes }) => outcomes)),
    ];
  });
  return (
    `Plant Store on ${title}, ${countOf(workers ?? 1, 'worker')}, ${countOf(plants, 'plant')}: ${callers} callers, ` +
    `medians of ${countOf(rounds, 'round')} of ${seconds} s without and with each attack\n\n` +
    `${formatTable(['attack', 'of the others', 'per second', 'with', 'ratio', 'p50 ms', 'p99 ms', 'with p50', 'with p99', 'failed', 'with'], callRows)}\n\n` +
    `${formatTable(['attack', 'memory', 'with', 'not ready', 'slowest ready ms', 'survived', 'cores of the attack', 'what it got'], serviceRows)}\n`
  );
}

/** The medians of the rounds, and all that failed. */
function summarize(rounds: readonly CallStats[]) {
  return {
    ...medians(rounds, 'perSecond', 'p50Ms', 'p99Ms'),
    failed: sum(rounds.map(({ failed }) => failed)),
  };
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** Rates of few callers, which may be below one. */
function rateOf({ perSecond }: { readonly perSecond: number }): string {
  return perSecond < 10 ? perSecond.toFixed(1) : formatCount(perSecond);
}

/** A latency, which is 0 where no request was answered 200. */
function latencyOf(ms: number): string {
  return ms === 0 ? '–' : formatMs(ms);
}

function formatOutcomes(rounds: readonly AttackResult['outcomes'][]): string {
  const names = [...new Set(rounds.flatMap(Object.keys))];
  return names
    .map((name) => `${name}: ${formatCount(sum(rounds.map((outcomes) => outcomes[name] ?? 0)))}`)
    .join(', ');
}
