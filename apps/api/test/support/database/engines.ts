import { inject } from 'vitest';
import type { DatabaseLocation } from '../../../src/store/database-location.js';

export type Engine = DatabaseLocation['engine'];

/** What a test database is on: an engine, or PostgreSQL whose plants are distributed over a Citus cluster. */
export type TestEngine = Engine | 'citus';

/** The engines on which the tests of the API run, each as a vitest project; see `vitest.config.ts`. */
export const engines = ['sqlite', 'postgresql'] as const satisfies readonly Engine[];

/** On what the tests of the store run: all engines, or in the mode `citus` only on the cluster. */
export function enginesOfStore(): readonly TestEngine[] {
  return inject('engine') === 'citus' ? ['citus'] : (inject('storeEngines') ?? engines);
}

declare module 'vitest' {
  interface ProvidedContext {
    /** What the services of this project use. */
    readonly engine: TestEngine;
    /** On what the tests of the store run, where that is not every engine. */
    readonly storeEngines?: readonly Engine[];
    /** The setting `FAST_PATH` of the services of this project. */
    readonly fastPath: 'on' | 'off';
    /** How many processes serve the requests of a test service. */
    readonly workers: number;
  }
}
