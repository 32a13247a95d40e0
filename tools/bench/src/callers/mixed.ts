import { formatMemory, formatMs, formatTable, writeJson } from '@plant-store/report';
import { z } from 'zod';
import type { Environment } from '../environment/environment.js';
import { describeMachine, machineLine } from '../environment/machine.js';
import { callService } from './caller-load.js';
import { type ServiceSettings, startFilledService, watchService, withEngine } from './filled-service.js';

const readers = 10;
const createsPerSecond = 35;
const warmupSeconds = 3;

/** By id and the newest first; the tag `herb` is that of the creates, whose ids follow those of nearly all other plants. */
const lists = [
  '/plants?limit=100',
  '/plants?limit=1000',
  '/plants?limit=100&order=newest',
  '/plants?limit=1000&order=newest',
  '/plants?limit=100&tag=tree',
  '/plants?limit=100&tag=herb',
  '/plants?limit=100&tag=herb&order=newest',
  '/plants?limit=100&q=deliciosa',
  '/plants?limit=100&q=deliciosa%2012345',
];

/** A page that is not the last one. */
const PageSchema = z.object({ plants: z.array(z.unknown()), next: z.string() });

/** How long to measure, and the file that gets the results as JSON. */
export interface MixedSettings extends ServiceSettings {
  readonly minutes: number;
  readonly json?: string | undefined;
}

/** Measures lists of all kinds, on some connections without a pause, beside creates at a fixed rate, and prints a table. */
export async function measureMixed(settings: MixedSettings, environment: Environment): Promise<void> {
  const machine = await describeMachine(environment.folder);
  await withEngine(settings.database, environment, async (engine) => {
    const service = await startFilledService(settings, engine, environment);
    const { baseUrl, token } = service;
    environment.log('finding pages in the depth');
    const deep = [
      ...(await deepLists(baseUrl, token, settings.plants, 'id')),
      ...(await deepLists(baseUrl, token, settings.plants, 'newest')),
    ];
    const calls = {
      ...{ baseUrl, creators: [token], readers: Array<string>(readers).fill(token), createsPerSecond },
      ...{ thinkMs: 0, lists: [...lists, ...deep], warmupSeconds, seconds: settings.minutes * 60 },
    };
    const { result, health } = await watchService(service, callService(calls));
    await service.remove();
    const { json, ...rest } = settings;
    if (json !== undefined)
      writeJson(json, { machine, settings: rest, database: engine.title, ...result, health });
    const rows = (['creates', 'lists'] as const).map((kind) => {
      const { perSecond, p50Ms, p99Ms, maxMs, failed } = result[kind];
      return [kind, perSecond.toFixed(1), formatMs(p50Ms), formatMs(p99Ms), formatMs(maxMs), failed];
    });
    environment.print(
      `Plant Store on ${engine.title}\n\n${formatTable(['', 'per second', 'p50 ms', 'p99 ms', 'max ms', 'failed'], rows)}\n\n` +
        `Memory up to ${formatMemory(health.maxMemoryBytes)}; not ready ${health.notReady} of ${health.readinessChecks} times, ` +
        `slowest ${formatMs(health.slowestReadyMs)} ms.\n${machineLine(machine)}\n`,
    );
  });
}

/** Pages of 100 and of 1,000 behind a quarter and half of the plants. */
async function deepLists(
  baseUrl: string,
  token: string,
  plants: number,
  order: 'id' | 'newest',
): Promise<string[]> {
  const deep: string[] = [];
  let seen = 0;
  let after = '';
  for (const share of [0.25, 0.5]) {
    while (seen < plants * share) {
      const reply = await fetch(`${baseUrl}/plants?order=${order}&limit=1000${after}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      const page = PageSchema.parse(await reply.json());
      seen += page.plants.length;
      after = `&after=${encodeURIComponent(page.next)}`;
    }
    deep.push(...[100, 1000].map((limit) => `/plants?order=${order}&limit=${limit}${after}`));
  }
  return deep;
}
