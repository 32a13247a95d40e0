import { inject } from 'vitest';
import type { DatabaseLocation } from '../../../src/store/database-location.js';

export type Engine = DatabaseLocation['engine'];

/** An engine, or a Citus cluster that distributes the plants. */
export type TestEngine = Engine | 'citus';

/** The engines on which the tests of the API run, each as a vitest project; see `vitest.config.ts`. */
export const engines = ['sqlite', 'postgresql'] as const satisfies readonly Engine[];

/** The engines for tests of the store: all, or in the mode `citus` only the cluster. */
export function enginesOfStore(): readonly TestEngine[] {
  return inject('engine') === 'citus' ? ['citus'] : (inject('storeEngines') ?? engines);
}

declare module 'vitest' {
  interface ProvidedContext {
    /** What the services of this project use. */
    readonly engine: TestEngine;
    /** The engines for tests of the store. Default: all. */
    readonly storeEngines?: readonly Engine[];
    /** The setting `FAST_PATH` of the services of this project. */
    readonly fastPath: 'on' | 'off';
    /** How many processes serve the requests of a test service. */
    readonly workers: number;
  }
}
